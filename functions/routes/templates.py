"""/templates, /templates/{id} and /templates:search: the steps along which answers are laid out."""

from __future__ import annotations

from pydantic import Field

from functions.http.bodies import (
    Names,
    NotBlank,
    SavingBody,
    TenantBody,
    checked_body,
    with_example,
)
from functions.http.calls import Call, Reply, operation
from shared.api.templates import (
    TemplateJson,
    TemplateMatchesJson,
    TemplatesJson,
    listed_template_json,
    template_json,
    template_match_json,
)
from shared.errors import InvalidArgument
from shared.model.account import Spending
from shared.model.templates import Template
from shared.templates.files import check_id


class TemplateBody(SavingBody):
    """The request of PUT /templates/{id}. `templateId` and `path` are there so that what GET gave can be sent back."""

    model_config = with_example(
        name="Decision record",
        content="1. Context\n2. Decision\n3. Consequences",
        keywords=["decide", "choose"],
    )

    name: NotBlank = Field(description="text, one line")
    content: NotBlank = Field(description="the steps as Markdown text")
    domain: str = Field(default="general", description="text")
    complexity: str = Field(default="moderate", description="text")
    methodology: str = Field(default="sequential", description="text")
    keywords: Names = Field(default=(), description="a list of words")
    description: str = Field(default="", description="text")
    template_id: str | None = Field(default=None, description="the id that the address names")
    path: str | None = Field(default=None, description="text, which is not kept")


class TemplateSearchBody(TenantBody):
    """The request of /templates:search."""

    model_config = with_example(
        query="Should we change the database?",
        topK=3,
    )

    query: NotBlank = Field(description="a question, as text")
    top_k: int = Field(default=3, ge=1, le=20, description="a whole number from 1 to 20")


@operation(body=TemplateBody, reply=TemplateJson, errors=(409,))
def put(call: Call, template_id: str) -> Reply:
    """Create or replace."""
    body = checked_body(call, TemplateBody)
    if body.template_id not in (None, template_id):
        raise InvalidArgument("templateId", "the id that the address names")

    template = Template(
        template_id=template_id,
        name=body.name,
        content=body.content,
        domain=body.domain,
        complexity=body.complexity,
        methodology=body.methodology,
        keywords=tuple(dict.fromkeys(body.keywords)),
        description=body.description,
    )

    app = call.app_unless_erased(body.erasure)
    app.templates.save(call.tenant_id, template)
    return Reply(template_json(template))


@operation(reply=TemplateJson, errors=(404,))
def get(call: Call, template_id: str) -> Reply:
    """The template with its steps."""
    check_id(template_id)
    library = call.app.templates
    template = library.get(call.tenant_id, template_id)
    path = library.path_of(template)
    return Reply(template_json(template, path))


@operation(errors=(404,))
def delete(call: Call, template_id: str) -> Reply:
    """Delete a template of the tenant; a shipped one of the same id appears again."""
    check_id(template_id)
    call.app.templates.delete(call.tenant_id, template_id)
    return Reply(None, 204)


@operation(reply=TemplatesJson)
def list_all(call: Call) -> Reply:
    """Lists templates by id, without their steps."""
    library = call.app.templates
    rows = []
    for template in library.all(call.tenant_id):
        path = library.path_of(template)
        rows.append(listed_template_json(template, path))

    ready = library.ready(call.tenant_id)
    return Reply(TemplatesJson(templates=rows, ready=ready))


@operation(body=TemplateSearchBody, reply=TemplateMatchesJson)
def search(call: Call) -> Reply:
    """The most similar, best first; the chain of thought with 0.5 where none is similar."""
    body = checked_body(call, TemplateSearchBody)
    app = call.app
    longest = app.settings.chat_max_query_length
    query = body.query.strip()
    is_too_long = len(body.query) > longest
    if not query or is_too_long:
        raise InvalidArgument("query", f"text of at most {longest} characters, not blank")

    # A search is billed as one: it reads every template's vector.
    with app.budgets.asking(call.tenant_id, Spending.SEARCHES):
        matches = app.templates.search(call.tenant_id, query, top_k=body.top_k)

    rows = []
    for match in matches:
        path = app.templates.path_of(match.template)
        rows.append(template_match_json(match, path))
    return Reply(TemplateMatchesJson(templates=rows))
