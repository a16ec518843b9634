output "workload_identity_provider" {
  description = "For the pipeline's step of signing in."
  value       = one(google_iam_workload_identity_pool_provider.pipeline[*].name)
}

output "pipeline_account" {
  description = "The account that the pipeline signs in as."
  value       = one(google_service_account.pipeline[*].email)
}

output "add_key" {
  description = "The command that adds the key to its secret."
  value       = local.has_key ? "gcloud secrets versions add ${local.secret} --data-file=- --project=${var.project}" : null
}

output "deploy" {
  description = "The command that builds and deploys into what was made here."
  value       = "FUNCTION_PREFIX='${var.prefix}' FIRESTORE_DATABASE='${var.database}' deploy/up.sh ${var.project} --prepared --region ${var.region}"
}
