variable "project" {
  type        = string
  description = "Id of the project, which has billing."
}

variable "region" {
  type        = string
  description = "Region of the functions, near the notes: europe-west1."
}

variable "location" {
  type        = string
  description = "Where the notes are kept, for good: eur3 (Europe), nam5 (America) or a region."
}

variable "database" {
  type        = string
  default     = "(default)"
  description = "Name of the database."
}

variable "make_database" {
  type        = bool
  default     = true
  description = "Whether the database is made here. False for one that exists: deploy/up.sh, run once by an owner, makes it the deployment's."
}

variable "prefix" {
  type        = string
  default     = ""
  description = "FUNCTION_PREFIX: before the names of functions, accounts, schedule, secret and bucket."

  validation {
    condition     = can(regex("^([a-z][a-z0-9-]{0,13})?$", var.prefix))
    error_message = "Expected up to 14 lower-case letters, digits and hyphens, a letter first."
  }
}

variable "key" {
  type        = string
  default     = "GEMINI_API_KEY"
  description = "Setting whose key is kept as a secret: GEMINI_API_KEY or OPENAI_API_KEY. Empty with Vertex AI. The key itself is added with gcloud, so that no state holds it."

  validation {
    condition     = contains(["", "GEMINI_API_KEY", "OPENAI_API_KEY"], var.key)
    error_message = "Expected GEMINI_API_KEY, OPENAI_API_KEY or nothing."
  }
}

variable "chosen_apis" {
  type        = set(string)
  default     = []
  description = "What settings ask for: aiplatform (GOOGLE_GENAI_USE_VERTEXAI), identitytoolkit (CHECK_REVOKED), discoveryengine (RERANKER)."

  validation {
    condition     = length(setsubtract(var.chosen_apis, ["aiplatform", "identitytoolkit", "discoveryengine"])) == 0
    error_message = "Expected some of aiplatform, identitytoolkit, discoveryengine."
  }
}

variable "daily_backups" {
  type        = bool
  default     = true
  description = "Whether a backup a day is kept for a week."
}

variable "alert_email" {
  type        = string
  default     = ""
  description = "Who is told when something goes wrong. Empty: no monitoring is made."
}

variable "github_repository" {
  type        = string
  default     = ""
  description = "OWNER/NAME of the repository whose pipeline deploys, with a token of its own and no key. Empty: none."
}

variable "github_ref" {
  type        = string
  default     = "refs/heads/main"
  description = "The only branch or tag from which the pipeline may deploy."
}
