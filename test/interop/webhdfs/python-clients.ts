/** The clients in Python, of the versions of `clients/requirements.txt`. */
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { isRequired } from '../../suites/hdfs.ts'
import { start } from '../generators/programs.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import type { Door } from './doors.ts'

const clients = join(import.meta.dirname, 'clients')

/** Runs one of `clients/*.py` to its end. @throws Error with what it says is wrong */
export type RunPython = (script: string, door: Door, directory: string, token?: string) => Promise<string>

/** Makes the environment; where that cannot be, the test is skipped, or fails as `SLUICE_REQUIRE` has it. */
export const usePython = async (context: TestContext): Promise<RunPython> => {
  const made = await makePythonEnvironment('webhdfs-clients', join(clients, 'requirements.txt'))
  if ('missing' in made) return skip(context, made.missing)
  return async (script, door, directory, token) => {
    const args = [join(clients, script), door.url, directory, door.kind, ...(token === undefined ? [] : [token])]
    const env = { USER_NAME: userInfo().username, PYTHONDONTWRITEBYTECODE: '1' }
    return await start(made.python, args, { cwd: clients, env })
  }
}

const skip = (context: TestContext, reason: string): never => {
  if (isRequired('python-clients')) throw new Error(`SLUICE_REQUIRE has "python-clients", but ${reason}`)
  return context.skip(`no clients in Python: ${reason}`)
}
