"""Files that are no Markdown, made by hand: small and real."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape


def pdf(pages: Sequence[str], *, title: str = "", created: str = "") -> bytes:
    """One line of text a page; without text it is as a scan is."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    about = f"/Title ({title}) " * bool(title) + f"/CreationDate (D:{created}) " * bool(created)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, text in enumerate(pages):
        content = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        box = "/MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} /Contents {5 + 2 * index} 0 R >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects.append(f"<< {about}>>")
    out = io.BytesIO(b"")
    places = []
    out.write(b"%PDF-1.4\n")
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
    start = out.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    out.write(
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{start}\n%%EOF\n".encode()
    )
    return out.getvalue()


def docx(*paragraphs: tuple[str, str], title: str = "") -> bytes:
    """(style, text) of each, the style empty or like Heading1. `title`: in its properties."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Type="{office}" '
            'Target="word/document.xml"/></Relationships>',
        )
        if title:
            about = f'xmlns:c="{package}/metadata/core-properties" xmlns:d="http://purl.org/dc/elements/1.1/"'
            file.writestr(
                "docProps/core.xml", f"<c:p {about}><d:title>{escape(title)}</d:title></c:p>"
            )
        file.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{main}"><w:body>{body}</w:body></w:document>',
        )
    return out.getvalue()
