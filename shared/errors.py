"""Every error the product raises on purpose, grouped by what the caller can do about it.

AuroraError
├── RequestError              fix the request; never retried
│   ├── InvalidArgument       400  a field has a bad value (names the field and what was expected)
│   │   └── NoteUnreadable    409  an app wrote that field of a note so that nobody can read the note
│   ├── Unauthenticated       401  no token, or one that does not verify
│   │   ├── AppCheckMissing        no token of App Check's, where that is enforced
│   │   └── AppCheckInvalid        one that does not verify
│   ├── PermissionDenied      403  a valid caller, another tenant's data
│   ├── NotFound              404  names what was not found
│   ├── Conflict              409  somebody else changed it first
│   ├── TooLarge              413  over a stated limit
│   └── Exhausted             429  a budget or rate is used up; carries seconds to wait
├── Unavailable               503  try later: a model, a store or a key server is away
│   ├── ModelUnavailable           the embedding or writing model: timeout, 429, 5xx, cut connection
│   │   ├── ModelUnreachable       nobody listens at its address
│   │   └── EmbeddingQuotaExceeded the tenant's embedding budget is used up until the next UTC day
│   ├── StoreUnavailable           Firestore or the disk does not answer
│   │   └── StoreRefused           it answers, and the same again until the deployment is mended: an index is
│   │                              missing or being built, a right is missing, a request of ours is wrong
│   ├── NoteBusy                   another worker is embedding this note right now
│   └── RequestBusy                another worker is answering a request of the same id right now
├── ModelRefused              the model answered and will answer the same again: bad key, bad request,
│                             unknown model, blocked or empty reply
└── OperatorError             the deployment must be fixed
    ├── SettingsError              names the variable and what it expects
    └── PortContractError          an adapter returned what its port forbids (count, dimension)
"""

from __future__ import annotations


class AuroraError(Exception):
    """Root of the tree. `message` is safe to show a caller: it never holds note text or secrets.

    `retry_after`: seconds after which a retry may succeed; None: not known.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after


class RequestError(AuroraError):
    """The request cannot succeed as it is."""


class InvalidArgument(RequestError):
    """A field holds a bad value. `field` is its camelCase path (`filters.createdAfter`)."""

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field}: expected {expected}")
        self.field = field
        self.expected = expected


class NoteUnreadable(InvalidArgument):
    """An app wrote a note's `field` so that the note cannot be read: it is to be mended, not the request."""


class Unauthenticated(RequestError):
    """No identity, or one that does not verify."""


class AppCheckMissing(Unauthenticated):
    """Nothing says that the request comes from one of the project's own apps."""


class AppCheckInvalid(Unauthenticated):
    """What should say so does not verify."""


class PermissionDenied(RequestError):
    """A verified caller who may not use what they named."""


class NotFound(RequestError):
    """What was named does not exist for this caller."""


class Conflict(RequestError):
    """The state moved between reading and writing; read again."""


class TooLarge(RequestError):
    """Over a stated limit."""


class Exhausted(RequestError):
    """A budget or a rate is used up until `retry_after`."""


class Unavailable(AuroraError):
    """Nothing is wrong with the request; try again later."""


class ModelUnavailable(Unavailable):
    """A model did not answer. `retry_after` is the server's own delay, if it gave one."""


class ModelUnreachable(ModelUnavailable):
    """Nobody listens at the model's address, which the message names: waiting longer will hardly help."""


class EmbeddingQuotaExceeded(ModelUnavailable):
    """The tenant has embedded as much as it may today. `retry_after`: seconds to the next UTC day."""


class StoreUnavailable(Unavailable):
    """The store did not answer."""


class StoreRefused(StoreUnavailable):
    """The store answered and will answer the same until somebody mends the deployment, or an index is built."""


class NoteBusy(Unavailable):
    """Another worker holds this note's lease and is embedding it."""


class RequestBusy(Unavailable):
    """Another worker is answering a request of the same `requestId`; `retry_after` is the end of its lease."""


class ModelRefused(AuroraError):
    """The model answered and would answer the same again. Retrying costs money and changes nothing."""


class OperatorError(AuroraError):
    """Only the operator can fix it."""


class SettingsError(OperatorError):
    """A setting is missing or bad. Names the variable and what it expects."""

    def __init__(self, variable: str, expected: str) -> None:
        super().__init__(f"{variable}: expected {expected}")
        self.variable = variable


class PortContractError(OperatorError):
    """An adapter broke its port's contract."""
