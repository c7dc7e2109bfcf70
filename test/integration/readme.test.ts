import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryDuckDb } from '../foreign/duckdb.ts'
import { startServer, type TestServer } from './clients/server.ts'

let server: TestServer
beforeAll(async () => {
  // Its files as they are by default.
  server = await startServer('collector.output.format=native')
})
afterAll(() => server.close())

/** What is typed, and what is shown below it. */
const toSteps = (text: string) =>
  [...text.matchAll(/^```\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
    .map(step => {
      const [, command = '', shown = ''] = /^((?:.*\\\n)*.*\n)([\s\S]*)$/.exec(step) ?? []
      return { command, shown: shown.trimEnd() }
    })

/** Those under a heading. */
const stepsBelow = (heading: string) => {
  const [, text = ''] = readFileSync('README.md', 'utf8').split(`## ${heading}\n`)
  return toSteps(text.split('\n## ')[0] ?? '')
}

/** As the shell of POSIX does it, which is dash in many places. */
const run = async (command: string): Promise<string> => {
  const script = command.replaceAll('http://127.0.0.1:8080', server.url).replaceAll('curl ', 'curl -s ')
  const { stdout } = await promisify(execFile)('sh', ['-c', script])
  return stdout.replaceAll('\r', '').trimEnd()
}

const withoutTimes = (text: string): string => text.replaceAll(/\b\d{13}\b/g, '(ms)')

test('the first event of the README is answered as it says', async () => {
  const steps = stepsBelow('The first event')
  for (const { command, shown } of steps) {
    if (command.startsWith('npx sluice flush now')) await server.commit()
    if (!/^(?:curl|printf)/.test(command)) continue
    const answer = await run(command)
    const [before = '', ...more] = shown.split('\n…')
    if (more.length === 0) expect(withoutTimes(answer)).toBe(withoutTimes(shown))
    else expect(answer).toContain(before)
  }
  expect(steps.length).toBe(5)
})

test('the hour of 21 types of the README is counted by one query, as it says', async () => {
  const [start, demo, query] = stepsBelow('An hour of 21 types, in one query')
  const settings = [...(start?.command ?? '').matchAll(/--set (\S+)/g)].map(([, setting = '']) => setting)
  const started = await startServer(...settings)
  try {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Readonly<Record<string, string>>
    }
    const { url: SLUICE_SERVER_URL, adminUrl: SLUICE_URL } = started
    const env = { ...process.env, SLUICE_SERVER_URL, SLUICE_URL }
    expect(demo?.command).toBe('npm run demo\n')
    await promisify(execFile)('sh', ['-c', scripts['demo'] ?? 'false'], { env })
    const [, sql = ''] = /-c "([\s\S]*)"\n$/.exec(query?.command.replaceAll('\\\n', '') ?? '') ?? []
    const rows = await queryDuckDb(sql.replaceAll('data/fs', `${started.directory}/data/fs`))
    // The table shows the first ones and the last ones.
    const shown = [...(query?.shown ?? '').matchAll(/^│ (\w+) +│ +(\d+) │$/gm)].map(([, name, count]) => [
      name,
      Number(count),
    ])
    expect(shown).toEqual([...rows.slice(0, 3), ...rows.slice(-3)].map(([name, count]) => [name, Number(count)]))
    expect(query?.shown).toContain(`${rows.length} rows`)
    expect(rows.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(30_000)
  } finally {
    await started.close()
  }
})
