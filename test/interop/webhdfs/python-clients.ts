/** The clients in Python, of the versions of `clients/requirements.txt`, in an environment that is made once. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { isRequired } from '../../suites/hdfs.ts'
import { cache } from '../generators/openapi-generator.ts'
import { CannotFetch, fetchBy, missingProgram, start } from '../generators/programs.ts'
import type { Door } from './doors.ts'

const clients = join(import.meta.dirname, 'clients')

/** Runs one of `clients/*.py` to its end. @throws Error with what it says is wrong */
export type RunPython = (script: string, door: Door, directory: string, token?: string) => Promise<string>

/** Makes the environment; where that cannot be, the test is skipped, or fails as `SLUICE_REQUIRE` has it. */
export const usePython = async (context: TestContext): Promise<RunPython> => {
  const missing = await missingProgram('python3', '-c', 'import ensurepip, venv')
  if (missing !== undefined) return skip(context, missing)
  const python = await install().catch((error: unknown) => {
    if (error instanceof CannotFetch) return skip(context, error.message)
    throw error
  })
  return async (script, door, directory, token) => {
    const args = [join(clients, script), door.url, directory, door.kind, ...(token === undefined ? [] : [token])]
    const env = { USER_NAME: userInfo().username, PYTHONDONTWRITEBYTECODE: '1' }
    return await start(python, args, { cwd: clients, env })
  }
}

const skip = (context: TestContext, reason: string): never => {
  if (isRequired('python-clients')) throw new Error(`SLUICE_REQUIRE has "python-clients", but ${reason}`)
  return context.skip(`no clients in Python: ${reason}`)
}

const install = async (): Promise<string> => {
  const requirements = join(clients, 'requirements.txt')
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12)
  const environment = join(cache, `webhdfs-clients-${version}`)
  const python = join(environment, 'bin', 'python')
  const complete = join(environment, 'complete')
  if (existsSync(complete)) return python
  await start('python3', ['-m', 'venv', '--clear', environment], { cwd: clients })
  const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', requirements]
  await fetchBy(python, pip, { cwd: clients })
  await writeFile(complete, '')
  return python
}
