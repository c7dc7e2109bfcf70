import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRequired } from '../suites/hdfs.ts'
import { startServer, type TestServer } from './clients/server.ts'
import {
  CannotFetch,
  compileJava,
  generateClient,
  missingFor,
  preparePython,
  start,
} from './generators/openapi-generator.ts'

// Clients made by a generator of somebody else's from the contract that the server serves. Two things openapi-generator
// cannot do: in Java, a boolean with a `const` becomes an enum that does not compile, so that `const` is left out of the
// contract here; in Python, a call that may answer with an empty body fails after it was sent, so the raw one is used.

/** Downloads and a compiler, on a machine that may be slow. */
const timeoutMs = 600_000

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Run = (...args: string[]) => Promise<string>

const languages: readonly {
  language: 'java' | 'python'
  prepare: (directory: string, contract: unknown) => Promise<Run>
}[] = [
  {
    language: 'java',
    prepare: async (directory, contract) => {
      const packages = 'invokerPackage=sluice,apiPackage=sluice.api,modelPackage=sluice.model'
      const without = 'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false'
      const parts = `apis,models,supportingFiles,skipFormModel=false,${without}`
      const client = await generateClient(directory, withoutBooleanConst(contract), [
        '-g',
        'java',
        '--library',
        'okhttp-gson',
        '--additional-properties',
        packages,
        '--global-property',
        parts,
      ])
      const classPath = await compileJava(directory, client, resolve('test/integration/generators/SendAndRead.java'))
      return (...args) => start('java', ['-cp', classPath, 'SendAndRead', ...args], directory)
    },
  },
  {
    language: 'python',
    prepare: async (directory, contract) => {
      const client = await generateClient(directory, contract, [
        '-g',
        'python',
        '--additional-properties',
        'packageName=sluice_client',
      ])
      const python = await preparePython(directory, client)
      const driver = resolve('test/integration/generators/send_and_read.py')
      // From within the client's directory, so that its package is found.
      return (...args) =>
        start(
          python,
          [
            '-c',
            `import runpy, sys; sys.path.insert(0, ${JSON.stringify(client)}); runpy.run_path(${JSON.stringify(driver)}, run_name="__main__")`,
            ...args,
          ],
          directory,
        )
    },
  },
]

describe.each(languages)('a generated $language client', ({ language, prepare }) => {
  let directory = ''
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), `sluice-${language}-`))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test('sends an event and reads rows back', { timeout: timeoutMs }, async context => {
    const missing = await missingFor(language)
    if (missing !== undefined) {
      if (isRequired('generators')) throw new Error(`SLUICE_REQUIRE has "generators", but ${missing}`)
      context.skip(`no generated ${language} client: ${missing}`)
    }
    const contract: unknown = await (await fetch(`${server.url}/openapi.json`)).json()
    const run = await prepare(directory, contract).catch((error: unknown) => {
      if (!(error instanceof CannotFetch) || isRequired('generators')) throw error
      return context.skip(`no generated ${language} client: ${error.message}`)
    })
    await run('send', server.url, `From-${language}`)
    // The same request again, with its idempotency key.
    await run('send', server.url, `From-${language}`)
    await server.commit()
    expect(await run('read', server.url, `/events/From-${language}`)).toMatch(
      new RegExp(`^${language} 7(?:\\.0)?\\r?\\n$`),
    )
  })
})

/** The contract without `const` where the type is boolean. */
const withoutBooleanConst = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutBooleanConst)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name, member]) => name !== 'const' || typeof member !== 'boolean')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutBooleanConst(member)]))
}
