import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { makePythonEnvironment } from '../python-environment.ts'

const scripts = join(import.meta.dirname, 'python')
const made = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))

/** What this machine lacks for Python with pyiceberg and DuckDB; undefined: nothing. */
export const missing = 'missing' in made ? made.missing : undefined
export const python = 'python' in made ? made.python : ''

/** What a script of `python/` prints. */
export const runScript = async (script: string, ...words: readonly string[]): Promise<string> => {
  const rows = join(import.meta.dirname, '../readers/python')
  const env = { ...process.env, TZ: 'UTC', PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: rows }
  const { stdout } = await promisify(execFile)(python, [join(scripts, script), ...words], { env })
  return stdout.trim()
}
