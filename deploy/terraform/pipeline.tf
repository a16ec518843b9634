# A pipeline that deploys with `deploy/up.sh --prepared`: it signs in by a token of its own, and no key exists.

resource "google_service_account" "pipeline" {
  count        = local.has_pipe ? 1 : 0
  account_id   = "${var.prefix}${local.table.pipeline.account}"
  display_name = "${var.prefix}${local.table.pipeline.account}"
  description  = local.table.label
  depends_on   = [google_project_service.api]
}

resource "google_project_iam_member" "pipeline" {
  for_each = local.has_pipe ? toset(local.table.pipeline.roles) : toset([])
  project  = var.project
  role     = each.key
  member   = google_service_account.pipeline[0].member
}

# Letting callers in to `chat` and `api` needs one permission that no smaller predefined role has.
resource "google_project_iam_custom_role" "invokers" {
  count       = local.has_pipe ? 1 : 0
  role_id     = "${replace(var.prefix, "-", "_")}auroraInvokers"
  title       = "Aurora Notes: let callers in"
  permissions = local.table.pipeline.permissions
  depends_on  = [google_project_service.api]
}

resource "google_project_iam_member" "invokers" {
  count   = local.has_pipe ? 1 : 0
  project = var.project
  role    = google_project_iam_custom_role.invokers[0].id
  member  = google_service_account.pipeline[0].member
}

# Builds run as aurora-deploy.
resource "google_service_account_iam_member" "pipeline" {
  count              = local.has_pipe ? 1 : 0
  service_account_id = google_service_account.account[local.table.deployer].name
  role               = local.table.actAsRole
  member             = google_service_account.pipeline[0].member
}

resource "google_storage_bucket_iam_member" "pipeline" {
  count  = local.has_pipe ? 1 : 0
  bucket = google_storage_bucket.build.name
  role   = local.table.pipeline.bucketRole
  member = google_service_account.pipeline[0].member
}

resource "google_iam_workload_identity_pool" "pipeline" {
  count                     = local.has_pipe ? 1 : 0
  workload_identity_pool_id = "${var.prefix}${local.table.pipeline.account}"
  display_name              = "Aurora Notes"
  depends_on                = [google_project_service.api]
}

resource "google_iam_workload_identity_pool_provider" "pipeline" {
  count                              = local.has_pipe ? 1 : 0
  workload_identity_pool_id          = google_iam_workload_identity_pool.pipeline[0].workload_identity_pool_id
  workload_identity_pool_provider_id = "github"
  attribute_condition                = "assertion.repository == '${var.github_repository}' && assertion.ref == '${var.github_ref}'"
  attribute_mapping = {
    "google.subject"       = "assertion.sub"
    "attribute.repository" = "assertion.repository"
  }

  oidc {
    issuer_uri = "https://token.actions.githubusercontent.com"
  }
}

resource "google_service_account_iam_member" "token" {
  count              = local.has_pipe ? 1 : 0
  service_account_id = google_service_account.pipeline[0].name
  role               = "roles/iam.workloadIdentityUser"
  member             = "principalSet://iam.googleapis.com/${google_iam_workload_identity_pool.pipeline[0].name}/attribute.repository/${var.github_repository}"
}
