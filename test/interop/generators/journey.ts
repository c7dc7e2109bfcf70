import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestServer } from '../../integration/clients/server.ts'
import type { Language, Run } from './language.ts'
import { cache, generateClient } from './openapi-generator.ts'

/** How far a client came. */
export type Stage = 'generated' | 'compiled' | 'called'

/**
 * Generates a client with the defaults of the generator and builds the journey with it, in a folder of its own that is
 * new each time; what its tools download stays.
 * @param onStage hears of each stage that is reached
 * @throws Error of the tool that failed
 */
export const buildJourney = async (
  language: Language,
  contract: string,
  onStage: (stage: Stage) => void = () => {},
): Promise<Run> => {
  const kept = join(cache, language.name)
  const directory = join(kept, 'build')
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const client = language.generate
    ? await language.generate(directory, contract, kept)
    : await generateClient(directory, contract, language.options)
  onStage('generated')
  const run = await language.build({ directory, client, kept })
  onStage('compiled')
  return run
}

/** One event, a batch, health, a listing, rows, uploads, a download, a deletion. @returns what the journey printed */
export const takeJourney = async (
  server: TestServer,
  run: Run,
  { name, onlySends = false }: Language,
): Promise<string[]> => {
  const type = `From-${name}`
  const sent = await run('send', server.url, type)
  await server.commit()
  const used = onlySends ? '' : await run('use', server.url, type)
  return `${sent}${used}`.split(/\r?\n/).filter(line => line !== '')
}

/** What {@link takeJourney} returns for a client that works. */
export const toWanted = ({ name, integers, onlySends = false }: Language): string[] => {
  const big = integers === 'exact' ? '9007199254740993' : '9007199254740992'
  const path = `/up-From-${name}/ü 1.bin`
  const sent = ['event 1 0', 'batch 2 1 1 bad-event-name']
  if (onlySends) return sent
  return [
    ...sent,
    'health RealtimeHealthCheck OK',
    'listing true true',
    ...[1, 2, 4].map(n => `row ${n} ${big}`),
    `uploaded ${path} 1 0640`,
    `uploaded ${path} 5 0640`,
    'refused 409',
    'download 00ff0d0a41',
    'deleted true',
    'gone 404',
  ]
}
