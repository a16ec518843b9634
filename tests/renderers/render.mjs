// Markdown texts (a JSON list on stdin) -> the HTML that each renderer makes of each: {renderer: [html, ...]} on stdout.
// Everything that can be switched on is: raw HTML, bare addresses as links, tables.
import { Parser, HtmlRenderer } from "commonmark";
import MarkdownIt from "markdown-it";
import { marked } from "marked";
import { marked as marked4 } from "marked-4";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import rehypeRaw from "rehype-raw";
import remarkGfm from "remark-gfm";
import showdown from "showdown";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const texts = JSON.parse(Buffer.concat(chunks).toString());

const markdownIt = new MarkdownIt({ html: true, linkify: true });
markdownIt.linkify.set({ fuzzyLink: false }); // else every "README.md" is a link
const converter = new showdown.Converter({ tables: true, strikethrough: true, simplifiedAutoLink: true });
const gfmOptions = { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true, allowDangerousProtocol: true };
const reactOptions = { remarkPlugins: [remarkGfm], rehypePlugins: [rehypeRaw], urlTransform: (address) => address };
const renderers = {
  commonmark: (text) => new HtmlRenderer().render(new Parser().parse(text)),
  marked: (text) => marked.parse(text),
  "marked 4": (text) => marked4.parse(text, { mangle: false }),
  "markdown-it": (text) => markdownIt.render(text),
  micromark: (text) => micromark(text, { allowDangerousHtml: true, allowDangerousProtocol: true }),
  "micromark gfm": (text) => micromark(text, gfmOptions),
  "react-markdown": (text) => renderToStaticMarkup(createElement(ReactMarkdown, reactOptions, text)),
  showdown: (text) => converter.makeHtml(text),
};
const made = {};
for (const [name, render] of Object.entries(renderers)) made[name] = texts.map(render);
process.stdout.write(JSON.stringify(made));
