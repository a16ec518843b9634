"""What we ask of the outside world. Adapters keep these promises; contract suites in tests hold them to it.

Every method may raise `Unavailable` (try later). Nothing here retries: adapters do, inside the deadline they
are given. `tenant_id` comes first everywhere, and an implementation cannot reach another tenant's data.

stores                    what is kept, as an adapter brings it, with the parts that consumers ask for
pages                     how long lists are given
models, access            who embeds, ranks, writes and judges; who calls
"""
