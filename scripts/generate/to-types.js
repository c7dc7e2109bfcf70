// Writes the types of an OpenAPI file to stdout. Plain JavaScript: its imports exist only once this folder is installed.
import { readFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { parse } from 'yaml'

const bytes = ts.factory.createTypeReferenceNode('Blob | Uint8Array<ArrayBuffer>')
const [source] = process.argv.slice(2)

// This client sends each of the media types.
const document = parse(readFileSync(new URL(source), 'utf8'))
for (const item of Object.values(document.paths)) {
  for (const { requestBody } of Object.values(item)) {
    if (requestBody) Object.assign(requestBody.content, requestBody['x-sluice-more-content'])
  }
}

const ast = await openapiTS(document, {
  immutable: true,
  alphabetize: false,
  // The default would be `string`, which no binary body is.
  transform: schema => (schema.format === 'binary' ? bytes : undefined),
})
process.stdout.write(astToString(ast))
