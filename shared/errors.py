"""Every error the product raises on purpose, grouped by what the caller can do about it.

AuroraError
├── RequestError              fix the request; never retried
│   ├── InvalidArgument       400  a field has a bad value (names the field and what was expected)
│   │   └── NoteUnreadable    409  an app wrote that field of a note so that nobody can read the note,
│   │                               or the disk has changed the note
│   ├── Unauthenticated       401  no token, or one that does not verify
│   │   ├── AppCheckMissing        no token of App Check's, where that is enforced
│   │   └── AppCheckInvalid        one that does not verify
│   ├── PermissionDenied      403  a valid caller, another tenant's data
│   ├── NotFound              404  names what was not found
│   ├── Conflict              409  somebody else changed it first
│   ├── TooSlow               408  its body came more slowly than a stated rate
│   ├── Erased                409  everything was erased since this work began
│   ├── TooLarge              413  over a stated limit
│   └── Exhausted             429  a budget or rate is used up; carries seconds to wait
├── Unavailable               503  try later: a model, a store or a key server is unavailable
│   ├── ModelUnavailable           the embedding or writing model: timeout, 429, 5xx, cut connection
│   │   ├── ModelUnreachable       nobody listens at its address
│   │   ├── ModelMisconfigured     no request succeeds until the operator mends a setting: bad or expired key,
│   │   │                          no right, no payment, unknown model, another dimension
│   │   └── ModelBudgetExceeded    what is left of the day's budget does not pay for the call
│   │       └── EmbeddingQuotaExceeded  the tenant's embedding budget is used up until the next UTC day
│   ├── IndexQuotaExceeded         what the index may write is used up until the next UTC day
│   ├── StoreUnavailable           Firestore or the disk does not answer
│   │   └── StoreRefused           it answers, and the same again until the deployment is mended: an index is
│   │                              missing or being built, a right is missing, a request of ours is wrong
│   ├── NoteBusy                   another worker is at this note right now
│   ├── NoteSuspect                a worker died at this note: the sweep takes it, alone and last
│   └── RequestBusy                another worker is answering a request of the same id right now
├── ModelRefused              the model answered and will answer the same again to this request: bad request,
│                             blocked or empty reply
└── OperatorError             the deployment must be fixed
    ├── SettingsError              names the variable and what it expects
    ├── NotOwner                   the database's index is written by another deployment
    └── PortContractError          an adapter returned what its port forbids (count, dimension)
"""

from __future__ import annotations


class AuroraError(Exception):
    """Root of the tree. `message` is safe to show a caller: it never holds note text or secrets.

    `retry_after`: seconds after which a retry may succeed; None if not known.
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
    """A note cannot be read, because an app or the disk has changed its `field`.

    The note has to be mended, not the request.
    """


class Unauthenticated(RequestError):
    """No identity, or one that does not verify."""


class AppCheckMissing(Unauthenticated):
    """The request has no App Check token, which would prove that one of the project's apps sent it."""


class AppCheckInvalid(Unauthenticated):
    """The request's App Check token does not verify."""


class PermissionDenied(RequestError):
    """A verified caller names something that they may not use."""


class NotFound(RequestError):
    """The thing that the request names does not exist for this caller."""


class Conflict(RequestError):
    """The state moved between reading and writing; read again."""


class TooSlow(RequestError):
    """The request's body came more slowly than a stated rate."""


class Erased(RequestError):
    """Everything of the tenant was erased since the work began: what it still had to save is dropped."""

    def __init__(self) -> None:
        super().__init__("everything was erased in the meantime, after this had begun: start again")


class TooLarge(RequestError):
    """The request exceeds a stated limit."""


class Exhausted(RequestError):
    """A budget or a rate is used up until `retry_after`."""


class Unavailable(AuroraError):
    """Nothing is wrong with the request; try again later."""


class ModelUnavailable(Unavailable):
    """A model did not answer. `retry_after` is the server's own delay, if it gave one.

    `is_billed`: the service may charge for the call. False where it has refused the call with a status.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        is_billed: bool = True,
    ) -> None:
        super().__init__(message, retry_after=retry_after)
        self.is_billed = is_billed


class ModelUnreachable(ModelUnavailable):
    """Nobody listens at the model's address, which the message names: waiting longer will hardly help."""

    def __init__(self, message: str) -> None:
        super().__init__(message, is_billed=False)


class ModelMisconfigured(ModelUnavailable):
    """No request succeeds until the operator mends a setting. `advice` says what to mend.

    `is_billed`: the model answered, and not as the setting promises.
    """

    def __init__(self, message: str, *, advice: str, is_billed: bool = False) -> None:
        super().__init__(message, is_billed=is_billed)
        self.advice = advice


class ModelBudgetExceeded(ModelUnavailable):
    """The rest of the day's budget does not pay for the call.

    `retry_after`: seconds to the next UTC day.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after=retry_after, is_billed=False)


class EmbeddingQuotaExceeded(ModelBudgetExceeded):
    """The tenant has embedded as much as it may today. `retry_after`: seconds to the next UTC day."""


class IndexQuotaExceeded(Unavailable):
    """The index has written as much as it may today. `retry_after`: seconds to the next UTC day."""


class StoreUnavailable(Unavailable):
    """The store did not answer."""


class StoreRefused(StoreUnavailable):
    """The store answered and will answer the same until somebody mends the deployment, or an index is built."""


class NoteBusy(Unavailable):
    """Another worker holds this note's lease and is embedding it."""


class NoteSuspect(Unavailable):
    """A worker died at this note, which may be the cause: only a sweep takes it up again."""


class RequestBusy(Unavailable):
    """Another worker is answering a request of the same `requestId`; `retry_after` is the end of its lease."""


class ModelRefused(AuroraError):
    """The model answered and would answer the same again. Retrying costs money and changes nothing.

    `is_billed`: as in ModelUnavailable. What a model has read before it blocked a reply may be charged for.
    """

    def __init__(self, message: str, *, is_billed: bool = True) -> None:
        super().__init__(message)
        self.is_billed = is_billed


class OperatorError(AuroraError):
    """Only the operator can fix it."""


class SettingsError(OperatorError):
    """A setting is missing or bad. Names the variable and what it expects."""

    def __init__(self, variable: str, expected: str) -> None:
        super().__init__(f"{variable}: expected {expected}")
        self.variable = variable


class NotOwner(OperatorError):
    """The database names another deployment as the one that writes its index."""


class PortContractError(OperatorError):
    """An adapter broke its port's contract."""
