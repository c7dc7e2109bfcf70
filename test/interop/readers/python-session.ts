import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Snippet } from './page.ts'

/** Python that remembers what was run in it, for many snippets and one start of what they use. */
export type PythonSession = {
  /** What the snippet prints. @throws Error with its traceback */
  run(snippet: Pick<Snippet, 'language' | 'code'>): Promise<string>
  close(): void
}

const modules = join(import.meta.dirname, 'python')

/**
 * @param python its program
 * @param cwd the directory that paths of snippets are below of
 */
export const startPythonSession = (
  python: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): PythonSession => {
  const child = spawn(python, [join(modules, 'session.py')], {
    cwd,
    env: { ...process.env, TZ: 'UTC', PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said: string[] = []
  createInterface(child.stderr).on('line', line => {
    said.push(line)
    said.splice(0, said.length - maxKeptLines)
  })
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = []
  createInterface(child.stdout).on('line', line => waiting.shift()?.resolve(line))
  child.on('close', code => {
    for (const wait of waiting.splice(0)) wait.reject(new Error(`Python ended with ${code}:\n${said.join('\n')}`))
  })
  return {
    run: async ({ language, code }) => {
      const { promise, ...wait } = Promise.withResolvers<string>()
      waiting.push(wait)
      child.stdin.write(`${JSON.stringify({ language, code })}\n`)
      const answer = JSON.parse(await promise) as { readonly out: string } | { readonly error: string }
      if ('error' in answer) throw new Error(`${answer.error}\nin\n${code}`)
      return answer.out
    },
    // Spark's virtual machine ends with the process that started it.
    close: () => void child.stdin.end(),
  }
}

/** Lines of what it says to people that a failure repeats. */
const maxKeptLines = 40
