// `npm run generate`: types from openapi.yaml, which the server and the clients share, both contracts as JSON, which the server
// reads in a hundredth of the time, what documents have of the code (`tables.ts`), the settings in the schema of the Helm chart and the paths of its Ingress,
// the ways in for the console, and the beacon beside the page of docs/examples/. `-- --check` writes nothing and exits 1 when the files in the tree are not
// what would be written. The tools live in this folder, with a lock of their own, because openapi-typescript needs TypeScript 5.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { buildBeacon } from './beacon.ts'
import { fillChartSchema } from './chart.ts'
import { printApis } from './console-apis.ts'
import { contractNames, readContract } from './contracts.ts'
import { printIntakePaths } from './intake-paths.ts'
import { documents, fillTables } from './tables.ts'
import { installTools } from './tools.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const source = new URL('../../openapi.yaml', import.meta.url)
const target = new URL('../../src/contract/types.gen.ts', import.meta.url)

const parameterShape = z.looseObject({
  $ref: z.string().optional(),
  name: z.string().optional(),
  schema: z.looseObject({}).optional(),
})
const documentShape = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ operationId: z.string(), parameters: z.array(parameterShape).default([]) })),
  ),
  components: z.looseObject({ parameters: z.record(z.string(), parameterShape) }),
})

const main = async () => {
  installTools()
  const yaml = readFileSync(source, 'utf8')
  const types = execFileSync(process.execPath, ['to-types.js', source.href], { cwd: here, encoding: 'utf8' })
  const hash = createHash('sha256').update(yaml).digest('hex')
  const text = `// Written by \`npm run generate\` from openapi.yaml (sha256 ${hash}). Do not edit.\n\n${types}\n${defaults()}`
  write(target, text)
  for (const name of contractNames) {
    const json = new URL(`../../src/contract/${name}.gen.json`, import.meta.url)
    write(json, `${JSON.stringify(readContract(name))}\n`)
  }
  const schema = new URL('../../deploy/helm/sluice/values.schema.json', import.meta.url)
  write(schema, fillChartSchema(readFileSync(schema, 'utf8')))
  write(new URL('../../deploy/helm/sluice/files/collector-paths.yaml', import.meta.url), printIntakePaths())
  for (const [path, tables] of Object.entries(documents)) {
    const document = new URL(`../../${path}`, import.meta.url)
    write(document, await fillTables(readFileSync(document, 'utf8'), tables))
  }
  write(new URL('../../admin/console/static/overview/apis.js', import.meta.url), printApis())
  write(new URL('../../docs/examples/page/beacon.min.js', import.meta.url), `${await buildBeacon()}\n`)
}

/** The types above say which parameters a client may leave out; this says which of them a handler finds all the same. */
const defaults = (): string => {
  const { paths, components } = documentShape.parse(readContract('openapi'))
  const rows = Object.values(paths)
    .flatMap(item => Object.values(item))
    .map(({ operationId, parameters }) => {
      const names = parameters
        .map(({ $ref, ...own }) => ($ref === undefined ? own : components.parameters[$ref.split('/').at(-1) ?? '']))
        .filter(parameter => parameter?.schema !== undefined && 'default' in parameter.schema)
        .map(parameter => JSON.stringify(parameter?.name))
      return `    readonly ${operationId}: ${names.join(' | ') || 'never'};\n`
    })
  return `/** Parameters with a default value, by operation. */\nexport interface defaulted {\n${rows.join('')}}\n`
}

const write = (target: URL, text: string) => {
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return
  if (process.argv.includes('--check')) {
    console.error(`${fileURLToPath(target)} is stale: run \`npm run generate\` and commit what it writes.`)
    process.exitCode = 1
    return
  }
  writeFileSync(target, text)
}

await main()
