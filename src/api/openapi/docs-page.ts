// The page at /docs: every endpoint of a version on one self-contained HTML page.
import { API_VERSIONS, type ApiVersion } from '../../domain/api-version.ts';
import { FAULTS } from '../../domain/faults.ts';
import type { EndpointDetails } from '../endpoint.ts';
import { FILTER_CONDITIONS, FILTER_RULES } from '../rest/records/filter-schema.ts';
import { exampleOf } from '../schema/example-of.ts';
import { type JsonSchema, plainSchema } from '../schema/json-schema.ts';
import { schemaAt } from '../schema/schema-at.ts';
import { html, join, type Markup, prose } from './html.ts';
import { endpointsOf } from './openapi-document.ts';
import { faultsOf, successAt } from './operation.ts';
import { PAGE_STYLE } from './page-style.ts';
import { type DescribedEndpoint, type EndpointSets, PLANES, type Plane } from './planes.ts';
import { fieldsOf, type Row, typeOf } from './schema-fields.ts';

/** Returns a whole HTML document. */
export function docsPage(version: ApiVersion, sets: EndpointSets): string {
  const shown = endpointsOf(version, sets);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pinyon API ${version}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<nav>${join(PLANES.map(({ plane, title }) => navigation(title, shown[plane])))}
<h2><a href="#filters">Filters</a></h2></nav>
<main>
<h1>Pinyon API</h1>
<p>Version ${version}; also ${join(API_VERSIONS.filter((each) => each !== version).map(versionLink))}
The same as data: <a href="/openapi.json?version=${version}">OpenAPI document</a>.</p>
<p>Send the API key in the header <code>Api-Key</code>, a token in <code>Authorization: Bearer</code>, and the
version in <code>X-Service-Api-Version</code> or <code>X-Pinecone-Api-Version</code>.</p>
${join(
  PLANES.map(
    ({ plane, title, where }) => html`<h2>${title}</h2>
<p>${prose(where)}</p>
${join(shown[plane].map((endpoint) => section(endpoint, { plane, version })))}`,
  ),
)}
${filters()}
</main>
</body>
</html>
`;
  return page.text;
}

function versionLink(version: ApiVersion): Markup {
  return html`<a href="/docs?version=${version}">${version}</a> `;
}

function navigation(title: string, endpoints: readonly EndpointDetails[]): Markup {
  const items = endpoints.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`);
  return html`<h2>${title}</h2><ul>${join(items)}</ul>`;
}

interface Place {
  readonly plane: Plane;
  readonly version: ApiVersion;
}

function section(endpoint: DescribedEndpoint, { plane, version }: Place): Markup {
  const { id, method, path, summary, description, params, query, headers, body, bodyOptional } = endpoint;
  const success = successAt(endpoint, version);
  const at = (schema: object | undefined) =>
    schema === undefined ? undefined : schemaAt(plainSchema(schema), version);
  return html`<section id="${id}">
<h3>${summary}</h3>
<p class="address"><b class="${method}">${method}</b> <code>${path}</code></p>
${description === undefined ? '' : html`<p>${prose(description)}</p>`}
${fields('Path', at(params))}${fields('Query', at(query))}${fields('Headers', at(headers))}
${fields(bodyOptional === true ? 'Body (optional)' : 'Body', at(body))}${example(at(body))}
<h4>Answer ${String(success.status)}</h4>
<p>${prose(success.description)}</p>
${fields('', at(success.schema))}${example(at(success.schema))}
<details><summary>Errors</summary><table>${join(
    faultsOf(endpoint, plane).map(
      (name) => html`<tr><td>${String(FAULTS[name].status)}</td><td><code>${name}</code></td>
<td>${prose(FAULTS[name].when)}</td></tr>`,
    ),
  )}</table></details>
</section>
`;
}

function fields(title: string, schema: JsonSchema | undefined): Markup {
  if (schema === undefined) return html``;
  const rows = fieldsOf(schema).map(rowOf);
  const heading = title === '' ? '' : html`<h4>${title}</h4>`;
  return rows.length === 0
    ? html`${heading}<p>${typeOf(schema)}</p>`
    : html`${heading}<table>${join(rows)}</table>`;
}

function rowOf(row: Row): Markup {
  if ('alternative' in row) return html`<tr><th colspan="3">${row.alternative}</th></tr>`;
  const { name, type, required, about } = row;
  const shown = type === 'Filter' ? html`<a href="#filters">Filter</a>` : type;
  return html`<tr><td><code>${name}</code>${required ? html` <i>required</i>` : ''}</td><td>${shown}</td><td>${prose(about)}</td></tr>`;
}

function example(schema: JsonSchema | undefined): Markup {
  if (schema === undefined) return html``;
  const value = exampleOf(schema);
  if (value === undefined) return html``;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return html`<details><summary>Example</summary><pre>${text}</pre></details>`;
}

function filters(): Markup {
  const rows = FILTER_CONDITIONS.map(
    (condition) =>
      html`<tr><td><code>${JSON.stringify(condition.example)}</code></td><td>${prose(condition.matches)}</td></tr>`,
  );
  return html`<section id="filters">
<h2>Filters</h2>
<p>A filter selects records by their metadata. It matches records:</p>
<table>${join(rows)}</table>
<ul>${join(FILTER_RULES.map((rule) => html`<li>${prose(rule)}</li>`))}</ul>
</section>`;
}
