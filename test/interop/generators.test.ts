import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../integration/clients/server.ts'
import { isRequired, realParts } from '../suites/hdfs.ts'
import { someOf } from '../suites/stride.ts'
import { buildJourney, takeJourney, toWanted } from './generators/journey.ts'
import { testedLanguages } from './generators/languages.ts'
import { missingGenerator } from './generators/openapi-generator.ts'
import { CannotFetch } from './generators/programs.ts'

// Clients made by a generator of somebody else's, with its defaults, from the contract that the server serves: they
// compile, and do everything. Some of the languages each time; `npm run clients -- --all` takes all, and those that take longer.

/** Downloads and a compiler, on a machine that may be slow. */
const patient = { timeout: 600_000, ...realParts }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

test.for(someOf(testedLanguages, 4))('a generated client: $name', patient, async (language, context) => {
  const { name } = language
  const missing = (language.generate ? undefined : await missingGenerator()) ?? (await language.missing())
  if (missing !== undefined) {
    if (isRequired('generators')) throw new Error(`SLUICE_REQUIRE has "generators", but ${missing}`)
    context.skip(`no generated ${name} client: ${missing}`)
  }
  const contract = await (await fetch(`${server.url}/openapi.json`)).text()
  const run = await buildJourney(language, contract).catch((error: unknown) => {
    if (!(error instanceof CannotFetch) || isRequired('generators')) throw error
    return context.skip(`no generated ${name} client: ${error.message}`)
  })
  expect(await takeJourney(server, run, language)).toEqual(toWanted(language))
  // Integers arrive as they were sent, where the language can hold them.
  const stored = await fetch(`${server.url}/rest/1.0/json?path=/events/From-${name}&recursive=true`)
  const sent = language.integers === 'doubles' ? '9007199254740992' : '9007199254740993'
  expect((await stored.text()).split(`"big":${sent}`)).toHaveLength(4)
})
