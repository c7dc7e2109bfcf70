import { html, raw } from 'hono/html'
import { errorTable } from '../errors.ts'
import type { Contract, DeclaredAnswer, Operation, Parameter } from './contract.ts'
import { toCurlExample } from './curl.ts'
import { describeSchema } from './describe.ts'
import { docsStyle } from './docs-style.ts'
import type { Content, Schema } from './document.ts'
import { type Markup, toInline, toMarkup, toTable } from './markdown.ts'

/** How many levels of nested fields the page lists. */
const maxFieldDepth = 3

/** Renders the whole page at `/docs`: one document, no script, nothing from elsewhere; `baseUrl` is for the examples. */
export const renderDocsPage = async (contract: Contract, baseUrl: string): Promise<string> =>
  String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${contract.title} API</title>
<style>${raw(docsStyle)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the operations</a>
<div class="frame">
<div class="side">
<h1>${contract.title} API <small>${contract.version}</small></h1>
<nav aria-label="Operations">${toNavigation(contract)}</nav>
</div>
<main id="main" tabindex="-1">
${toMarkup(contract.description)}
<p><a href="/openapi.json">The contract as JSON</a> (OpenAPI 3.1), for generators and other tools.</p>
${contract.tags.map(tag => toSection(contract, tag, baseUrl))}
${toErrorSection()}
</main>
</div>
</body>
</html>
`,
  )

const toNavigation = ({ tags, operations }: Contract): Markup[] => [
  ...tags.map(
    ({ name }) => html`<h2>${name}</h2>
<ul>${operations
      .filter(({ tag }) => tag === name)
      .map(operation => html`<li><a href="#${operation.id}">${toHeading(operation)}</a></li>`)}</ul>`,
  ),
  html`<h2>reference</h2><ul><li><a href="#errors">Error codes</a></li><li><a href="/openapi.json">openapi.json</a></li></ul>`,
]

const toHeading = ({ method, path }: Operation): Markup =>
  html`<span class="method ${method.toLowerCase()}">${method}</span><code>${path}</code>`

const toSection = ({ operations }: Contract, tag: Contract['tags'][number], baseUrl: string): Markup =>
  html`<section aria-labelledby="tag-${tag.name}">
<h2 id="tag-${tag.name}">${tag.name}</h2>
${toMarkup(tag.description)}
${operations.filter(operation => operation.tag === tag.name).map(operation => toArticle(operation, baseUrl))}
</section>
`

const toArticle = (operation: Operation, baseUrl: string): Markup =>
  html`<article id="${operation.id}">
<h3><a href="#${operation.id}">${toHeading(operation)}</a></h3>
<p class="summary">${operation.summary}</p>
${toRole(operation)}${toMarkup(operation.description)}
<h4>Try it</h4>
<pre><code>${toCurlExample(operation, baseUrl)}</code></pre>
${toParameters(operation.parameters)}
${toRequest(operation.requestContent)}
<h4>Answers</h4>
${operation.answers.map(toAnswer)}
</article>
`

const toRole = ({ role }: Operation): Markup | string =>
  role === undefined
    ? ''
    : html`<p>Where tokens are needed: one with the role <code>${role}</code>.</p>
`

const toParameters = (parameters: readonly Parameter[]): Markup | string =>
  parameters.length === 0
    ? ''
    : html`<h4>Parameters</h4>
<div class="fields">${toTable(
        ['Name', 'Accepts', 'Meaning'],
        parameters.map(({ name, in: place, required, schema, example, description }) => [
          html`<code>${name}</code>${place === 'header' ? html` <span class="dim">header</span>` : ''}${required ? html` <span class="must">required</span>` : ''}`,
          [
            describeSchema(schema),
            schema.default === undefined
              ? ''
              : html`<div class="dim">default <code>${String(schema.default)}</code></div>`,
            example === undefined ? '' : html`<div class="dim">e.g. <code>${String(example)}</code></div>`,
          ],
          toMarkup(description),
        ]),
      )}</div>`

const toRequest = (content: Content): Markup | string => {
  const types = Object.entries(content)
  if (types.length === 0) return ''
  return html`<h4>Body</h4>
<div class="fields">${toTable(
    ['Content type', 'Meaning'],
    types.map(([type, { schema }]) => [html`<code>${type}</code>`, toInline(schema?.description ?? 'As below.')]),
  )}</div>
${types.map(([type, media]) => [toFieldTable(media.schema, `Fields of ${type}`), toExamples(media)])}`
}

const toAnswer = ({ status, description, headers, content }: DeclaredAnswer): Markup => {
  const types = Object.entries(content)
  const marks = [...types.map(([type]) => type), ...headers.map(({ name }) => `${name} header`)]
  return html`<div class="answer">
<p><span class="status ${status < 400 ? 'good' : 'bad'}">${status}</span> ${toInline(description.trim().replaceAll('\n', ' '))}
<span class="dim">${marks.join(' · ')}</span></p>
${types.map(([type, media]) => [
  type === 'application/problem+json' ? '' : toFieldTable(media.schema, `Fields of ${type}`),
  toExamples(media),
])}
</div>`
}

const toExamples = ({ example, examples }: Content[string]): Markup[] => {
  const all = Object.values(examples)
  if (example !== undefined) all.push({ summary: 'Example', value: example })
  return all.map(
    ({ summary, value }) => html`<details><summary>${summary}</summary>
<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre></details>`,
  )
}

const toFieldTable = (schema: Schema | undefined, title: string): Markup | string => {
  const rows = schema === undefined ? [] : toFieldRows(schema, '', 0)
  if (rows.length === 0) return ''
  return html`<details><summary>${title}</summary><div class="fields">${toTable(['Field', 'Meaning'], rows)}</div></details>`
}

const toFieldRows = (schema: Schema, prefix: string, depth: number): unknown[][] => {
  const { properties, required = [] } = schema.anyOf?.[0] ?? schema
  if (properties === undefined || depth >= maxFieldDepth) return []
  return Object.entries(properties).flatMap(([name, field]) => [
    [
      html`<code>${prefix}${name}</code>${required.includes(name) ? html` <span class="must">required</span>` : ''}`,
      [
        toInline((field.description ?? '').trim().replaceAll('\n', ' ')),
        ' ',
        html`<span class="dim">${toTypeName(field)}</span>`,
      ],
    ],
    ...toFieldRows(field, `${prefix}${name}.`, depth + 1),
    ...(field.items === undefined ? [] : toFieldRows(field.items, `${prefix}${name}[].`, depth + 1)),
  ])
}

const toTypeName = ({ type, anyOf, format, maxItems, minLength, maxLength }: Schema): string => {
  const name = anyOf?.map(({ type: choice }) => choice).join(' or ') ?? type ?? ''
  const limits = [
    format,
    maxItems === undefined ? undefined : `at most ${maxItems}`,
    maxLength === undefined ? undefined : `${minLength ?? 0} to ${maxLength} characters`,
  ].filter(limit => limit !== undefined)
  return [name, ...limits].join(', ')
}

const toErrorSection = (): Markup =>
  html`<section aria-labelledby="errors">
<h2 id="errors">Error codes</h2>
<p>Every error has one of these in the field <code>code</code> of its <code>application/problem+json</code> body.</p>
${toTable(
  ['Code', 'Status', 'Meaning'],
  Object.entries(errorTable).map(([code, { status, title }]) => [html`<code>${code}</code>`, status, title]),
)}
</section>`
