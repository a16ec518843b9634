# What deploy/monitor.sh makes, from the same files in deploy/monitoring.
locals {
  monitoring   = "${path.module}/../monitoring"
  metric_files = local.is_watched ? fileset("${local.monitoring}/metrics", "*.json") : []
  alert_files  = local.is_watched ? fileset("${local.monitoring}/alerts", "*.json") : []
  checked      = local.is_watched ? toset(local.table.calledFunctions) : toset([])

  metrics = {
    for name in local.metric_files :
    trimsuffix(name, ".json") => jsondecode(replace(file("${local.monitoring}/metrics/${name}"), "%PREFIX%", var.prefix))
  }
  check_ids = join(", ", [
    for check in google_monitoring_uptime_check_config.health : "\\\"${check.uptime_check_id}\\\""
  ])
  alerts = {
    for name in local.alert_files :
    trimsuffix(name, ".json") => jsondecode(replace(
      replace(file("${local.monitoring}/alerts/${name}"), "%PREFIX%", var.prefix), "%CHECKS%", local.check_ids
    ))
  }
}

resource "google_logging_metric" "lines" {
  for_each         = local.metrics
  name             = each.key
  description      = each.value.description
  filter           = each.value.filter
  value_extractor  = try(each.value.valueExtractor, null)
  label_extractors = try(each.value.labelExtractors, null)
  depends_on       = [google_project_service.api]

  metric_descriptor {
    metric_kind = each.value.metricDescriptor.metricKind
    value_type  = each.value.metricDescriptor.valueType
    unit        = each.value.metricDescriptor.unit

    dynamic "labels" {
      for_each = try(each.value.metricDescriptor.labels, [])
      content {
        key        = labels.value.key
        value_type = labels.value.valueType
      }
    }
  }
}

resource "google_monitoring_notification_channel" "mail" {
  count        = local.is_watched ? 1 : 0
  type         = "email"
  display_name = "Aurora Notes"
  labels       = { email_address = var.alert_email }
  depends_on   = [google_project_service.api]
}

resource "google_monitoring_uptime_check_config" "health" {
  for_each     = local.checked
  display_name = "Aurora: ${var.prefix}${each.key}"
  user_labels  = local.labels
  period       = "300s"
  timeout      = "30s"
  depends_on   = [google_project_service.api]

  monitored_resource {
    type   = "uptime_url"
    labels = { project_id = var.project, host = local.functions }
  }

  http_check {
    path         = "/${var.prefix}${each.key}/health"
    port         = 443
    use_ssl      = true
    validate_ssl = true
  }
}

resource "google_monitoring_alert_policy" "alert" {
  for_each              = local.alerts
  display_name          = each.value.displayName
  combiner              = each.value.combiner
  user_labels           = each.value.userLabels
  notification_channels = google_monitoring_notification_channel.mail[*].id
  depends_on            = [google_logging_metric.lines]

  documentation {
    content   = each.value.documentation.content
    mime_type = each.value.documentation.mimeType
  }

  alert_strategy {
    auto_close = each.value.alertStrategy.autoClose
  }

  dynamic "conditions" {
    for_each = each.value.conditions
    content {
      display_name = conditions.value.displayName

      dynamic "condition_threshold" {
        for_each = [for kind in ["conditionThreshold"] : conditions.value[kind] if can(conditions.value[kind])]
        content {
          filter             = condition_threshold.value.filter
          comparison         = condition_threshold.value.comparison
          threshold_value    = condition_threshold.value.thresholdValue
          duration           = condition_threshold.value.duration
          denominator_filter = try(condition_threshold.value.denominatorFilter, null)

          dynamic "aggregations" {
            for_each = condition_threshold.value.aggregations
            content {
              alignment_period     = aggregations.value.alignmentPeriod
              per_series_aligner   = aggregations.value.perSeriesAligner
              cross_series_reducer = aggregations.value.crossSeriesReducer
              group_by_fields      = try(aggregations.value.groupByFields, null)
            }
          }

          dynamic "denominator_aggregations" {
            for_each = try(condition_threshold.value.denominatorAggregations, [])
            content {
              alignment_period     = denominator_aggregations.value.alignmentPeriod
              per_series_aligner   = denominator_aggregations.value.perSeriesAligner
              cross_series_reducer = denominator_aggregations.value.crossSeriesReducer
              group_by_fields      = try(denominator_aggregations.value.groupByFields, null)
            }
          }

          trigger {
            count = condition_threshold.value.trigger.count
          }
        }
      }

      dynamic "condition_prometheus_query_language" {
        for_each = [
          for kind in ["conditionPrometheusQueryLanguage"] : conditions.value[kind] if can(conditions.value[kind])
        ]
        content {
          query                     = condition_prometheus_query_language.value.query
          duration                  = condition_prometheus_query_language.value.duration
          evaluation_interval       = condition_prometheus_query_language.value.evaluationInterval
          disable_metric_validation = condition_prometheus_query_language.value.disableMetricValidation
        }
      }
    }
  }
}

resource "google_monitoring_dashboard" "notes" {
  count          = local.is_watched ? 1 : 0
  dashboard_json = replace(file("${local.monitoring}/dashboard.json"), "%PREFIX%", var.prefix)
  depends_on     = [google_logging_metric.lines]
}

# Events that no function took. `deploy/monitor.sh PROJECT --events` sends them here once the triggers exist.
resource "google_pubsub_topic" "dead_letters" {
  count      = local.is_watched ? 1 : 0
  name       = "${var.prefix}${local.table.deadLetters.name}"
  labels     = local.labels
  depends_on = [google_project_service.api]

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }
}

resource "google_pubsub_subscription" "dead_letters" {
  count                      = local.is_watched ? 1 : 0
  name                       = "${var.prefix}${local.table.deadLetters.name}"
  topic                      = google_pubsub_topic.dead_letters[0].id
  labels                     = local.labels
  message_retention_duration = local.table.deadLetters.kept

  expiration_policy {
    ttl = ""
  }
}
