"""Google Cloud as far as deploying and checking a deployment takes, on loopback: a project that remembers.

    with GoogleCloud("demo-notes") as cloud:
        environment = tools(cloud, home=folder, account=OWNER, path=os.environ["PATH"])
        subprocess.run(["gcloud", "secrets", "list"], env=environment)
        cloud.calls       # every request as a method call: id, caller, resource, body
        cloud.faults      # what Google would have refused or ignored; a test asserts that it is empty
        cloud.resources   # what the project holds now, by name

APIs are addressed by the first part of the path (`/secretmanager/v1/projects/…`), as `*_ENDPOINT_OVERRIDES` name
them. The bearer token `token-of-EMAIL` says who calls.
What a path means, and which fields and enum values a body may have, stands in Google's discovery documents
(google-api-python-client carries them). Who may call it stands in permissions.json, by the policies that were set here.
An API is refused until it is switched on, and a new account is unknown to the first policy that names it. `refusals`
makes the next calls of a method fail, `run_build` is what Cloud Build does with a build, and `function_url` where a
deployed function answers.

Eventarc's service agent is unknown for a while, too, and so are triggers that act as it.

Not there: quotas, conditions in policies, deny policies, other service agents, and what a build would find wrong.
"""

from tests.servers.google_cloud.cloud import OWNED, OWNER, Call, GoogleCloud
from tests.servers.google_cloud.environment import tools, with_ready_token

__all__ = ["OWNED", "OWNER", "Call", "GoogleCloud", "tools", "with_ready_token"]
