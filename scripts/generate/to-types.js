// Writes the types of an OpenAPI file to stdout. Plain JavaScript: its imports exist only once this folder is installed.
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const bytes = ts.factory.createTypeReferenceNode('Blob | Uint8Array<ArrayBuffer>')
const [source] = process.argv.slice(2)

const ast = await openapiTS(new URL(source), {
  immutable: true,
  alphabetize: false,
  // The default would be `string`, which no binary body is.
  transform: schema => (schema.format === 'binary' ? bytes : undefined),
})
process.stdout.write(astToString(ast))
