import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './clients/server.ts'

let server: TestServer
beforeAll(async () => {
  // Its files as they are by default.
  server = await startServer('collector.output.format=native')
})
afterAll(() => server.close())

/** What is typed, and what is shown below it. */
const steps = [...readFileSync('README.md', 'utf8').matchAll(/^```\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
  .map(step => {
    const [, command = '', shown = ''] = /^((?:.*\\\n)*.*\n)([\s\S]*)$/.exec(step) ?? []
    return { command, shown: shown.trimEnd() }
  })

/** As the shell of POSIX does it, which is dash in many places. */
const run = async (command: string): Promise<string> => {
  const script = command.replaceAll('http://127.0.0.1:8080', server.url).replaceAll('curl ', 'curl -s ')
  const { stdout } = await promisify(execFile)('sh', ['-c', script])
  return stdout.replaceAll('\r', '').trimEnd()
}

const withoutTimes = (text: string): string => text.replaceAll(/\b\d{13}\b/g, '(ms)')

test('the first event of the README is answered as it says', async () => {
  for (const { command, shown } of steps) {
    if (command.startsWith('npx sluice flush now')) await server.commit()
    if (!/^(?:curl|printf)/.test(command)) continue
    const answer = await run(command)
    const [before = '', ...more] = shown.split('\n…')
    if (more.length === 0) expect(withoutTimes(answer)).toBe(withoutTimes(shown))
    else expect(answer).toContain(before)
  }
  expect(steps.length).toBe(6)
})
