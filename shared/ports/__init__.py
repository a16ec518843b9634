"""Ports to the outside world. Adapters implement them; contract suites in tests check that they do.

Every method may raise `Unavailable` (try later). Nothing here retries: adapters do, inside the deadline they
are given. `tenant_id` comes first everywhere, and an implementation cannot reach another tenant's data.

stores                    storage, one interface for adapters and narrower ones for consumers
documents                 storage of sessions, templates, feedback and other documents by one port
freshness                 whether a note still is what was read of it
pages                     long lists, page by page
models, access            embedders, rerankers, writers and judges; identities of callers
"""
