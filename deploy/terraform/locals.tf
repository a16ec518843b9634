# Everything that is made, computed from the table that deploy/up.sh reads too.
locals {
  table  = jsondecode(file("${path.module}/../resources.json"))
  labels = { (split("=", local.table.label)[0]) = split("=", local.table.label)[1] }

  is_watched  = var.alert_email != ""
  has_pipe    = var.github_repository != ""
  has_key     = var.key != ""
  monitor_api = local.is_watched ? ["monitoring"] : []
  pipe_api    = local.has_pipe ? ["sts"] : []

  apis = toset(concat(local.table.apis, tolist(var.chosen_apis), local.monitor_api, local.pipe_api))

  email = {
    for account in keys(local.table.accounts) :
    account => "${var.prefix}${account}@${var.project}.iam.gserviceaccount.com"
  }
  account_grants = flatten([
    for account, roles in local.table.accounts : [
      for role in roles : { account = account, role = role }
    ]
  ])
  chosen_grants = [
    for api in var.chosen_apis : { account = local.table.keyReader, role = local.table.chosenApis[api].role }
  ]
  grants = {
    for grant in concat(local.account_grants, local.chosen_grants) : "${grant.role} ${grant.account}" => grant
  }
  running = toset([for account in keys(local.table.accounts) : account if account != local.table.deployer])

  bucket    = "${var.project}-${var.prefix}${local.table.bucket}"
  secret    = local.has_key ? "${var.prefix}${local.table.secrets[var.key]}" : ""
  job       = "${var.prefix}${local.table.schedule.name}"
  functions = "${var.region}-${var.project}.cloudfunctions.net"
}
