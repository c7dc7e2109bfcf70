import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-signals-'))
  execFileSync('mkfifo', [join(directory, 'fifo')])
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Opening a pipe without a writer blocks like a call to a disk that does not answer. */
const hangs = {
  nothing: '',
  'a thread': `new Worker('require("node:fs").openSync(' + fifo + ', "r")', { eval: true })`,
  'a call of the main thread': 'open(JSON.parse(fifo), "r").catch(() => {})',
}

/** Runs a process whose drain is this, signals it, and tells how it ended. */
const end = async (hang: string, drain: string, signals: number) => {
  const module = JSON.stringify(new URL('../../src/app/signals.ts', import.meta.url))
  const script = join(directory, 'server.mjs')
  writeFileSync(
    script,
    `import { open } from 'node:fs/promises'
    import { Worker } from 'node:worker_threads'
    import { handleSignals } from ${module}
    const fifo = ${JSON.stringify(JSON.stringify(join(directory, 'fifo')))}
    const timer = setInterval(() => {}, 1_000)
    handleSignals({
      drain: async () => { console.log('draining'); ${drain} },
      timeoutMs: ${signals > 1 ? 60_000 : 100},
      onFailure: error => console.log(error.message),
      beforeExit: () => console.log('ends'),
    })
    ${hang}
    setTimeout(() => console.log('ready'), 300)`,
  )
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await expect.poll(() => output).toContain('ready')
  child.kill('SIGTERM')
  // One after the other until one counts: those of the first second are taken as repetitions.
  const more = signals > 1 ? setInterval(() => child.kill('SIGTERM'), 100) : undefined
  const [code, signal] = await once(child, 'exit')
  clearInterval(more)
  return { how: signal ?? code, output }
}

const forever = 'await new Promise(() => {})'

describe('a stop ends within its bound, whatever hangs', () => {
  test.each<[keyof typeof hangs, drain: string, signals: number, how: number | string, says: string]>([
    ['nothing', '', 1, 0, ''],
    ['nothing', forever, 1, 1, 'The drain took longer than 100 ms'],
    ['nothing', 'throw new Error("no")', 1, 1, 'no'],
    ['nothing', forever, 2, 143, ''],
    ['a thread', forever, 1, 'SIGKILL', 'The drain took longer than 100 ms'],
    ['a thread', forever, 2, 'SIGKILL', ''],
    ['a call of the main thread', '', 1, 'SIGKILL', ''],
    ['a call of the main thread', forever, 1, 'SIGKILL', 'The drain took longer than 100 ms'],
  ])('%s hangs, drain %j, %i signal(s): %s', async (hang, drain, signals, how, says) => {
    const ended = await end(hangs[hang], drain, signals)
    expect(ended.how).toBe(how)
    expect(ended.output).toMatch(new RegExp(`draining[^]*${says}[^]*ends`))
  })
})
