# What deploy/up.sh makes before it builds. Functions, indexes and rules are the build's: deploy/up.sh --prepared.

resource "google_project_service" "api" {
  for_each           = local.apis
  service            = "${each.key}.googleapis.com"
  disable_on_destroy = false
}

resource "google_service_account" "account" {
  for_each     = local.table.accounts
  account_id   = "${var.prefix}${each.key}"
  display_name = "${var.prefix}${each.key}"
  description  = local.table.label
  depends_on   = [google_project_service.api]
}

resource "google_project_iam_member" "account" {
  for_each   = local.grants
  project    = var.project
  role       = each.value.role
  member     = "serviceAccount:${local.email[each.value.account]}"
  depends_on = [google_service_account.account]
}

# The deployment may let functions run as these accounts, and as no other.
resource "google_service_account_iam_member" "deployer" {
  for_each           = local.running
  service_account_id = google_service_account.account[each.key].name
  role               = local.table.actAsRole
  member             = "serviceAccount:${local.email[local.table.deployer]}"
  depends_on         = [google_service_account.account]
}

# Triggers act as Google's own account for Eventarc.
resource "google_project_service_identity" "agent" {
  provider   = google-beta
  for_each   = local.table.serviceAgents
  project    = var.project
  service    = "${each.key}.googleapis.com"
  depends_on = [google_project_service.api]
}

resource "google_project_iam_member" "agent" {
  for_each = local.table.serviceAgents
  project  = var.project
  role     = each.value
  member   = google_project_service_identity.agent[each.key].member
}

resource "google_firestore_database" "notes" {
  count                             = var.make_database ? 1 : 0
  name                              = var.database
  location_id                       = var.location
  type                              = "FIRESTORE_NATIVE"
  delete_protection_state           = "DELETE_PROTECTION_ENABLED"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  deletion_policy                   = "ABANDON"
  depends_on                        = [google_project_service.api]

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_firestore_backup_schedule" "daily" {
  count      = var.daily_backups ? 1 : 0
  database   = var.database
  retention  = local.table.backupRetention
  depends_on = [google_firestore_database.notes]

  daily_recurrence {}
}

# Says whose the database is. What a later deploy/up.sh --take-over database writes there stays.
resource "google_firestore_document" "owner" {
  count       = var.make_database ? 1 : 0
  database    = google_firestore_database.notes[0].name
  collection  = "auroraOwner"
  document_id = "deployment"
  fields = jsonencode({
    project        = { stringValue = var.project }
    database       = { stringValue = var.database }
    functionPrefix = { stringValue = var.prefix }
    shared         = { booleanValue = false }
  })

  lifecycle {
    ignore_changes = [fields]
  }
}

resource "google_secret_manager_secret" "key" {
  count      = local.has_key ? 1 : 0
  secret_id  = local.secret
  labels     = local.labels
  depends_on = [google_project_service.api]

  replication {
    user_managed {
      replicas {
        location = var.region
      }
    }
  }
}

resource "google_secret_manager_secret_iam_member" "reader" {
  count      = local.has_key ? 1 : 0
  secret_id  = google_secret_manager_secret.key[0].id
  role       = local.table.keyReaderRole
  member     = "serviceAccount:${local.email[local.table.keyReader]}"
  depends_on = [google_service_account.account]
}

resource "google_storage_bucket" "build" {
  name                        = local.bucket
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  labels                      = local.labels
  force_destroy               = true
  depends_on                  = [google_project_service.api]
}

# The build writes the address of the function that it has deployed.
resource "google_cloud_scheduler_job" "sweep" {
  name             = local.job
  region           = var.region
  schedule         = local.table.schedule.cron
  description      = local.table.label
  attempt_deadline = local.table.schedule.deadline
  depends_on       = [google_service_account.account]

  http_target {
    uri         = "https://${local.functions}/${var.prefix}${local.table.schedule.function}"
    http_method = "POST"
    body        = base64encode("{}")

    oidc_token {
      service_account_email = local.email[local.table.schedule.account]
    }
  }

  lifecycle {
    ignore_changes = [http_target]
  }
}
