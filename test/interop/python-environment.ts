/** Python with the packages of a `requirements.txt`, in an environment that is made once. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cache } from './generators/openapi-generator.ts'
import { CannotFetch, fetchBy, missingProgram } from './generators/programs.ts'

/** The path of such a Python, or what this machine lacks for it, as a sentence. */
export type PythonEnvironment = { readonly python: string } | { readonly missing: string }

/**
 * Makes the environment at the first call; another one when the file changes.
 * @param name of its directory in the cache
 * @param requirements path of the file
 * @throws Error when it cannot be made though nothing is missing
 */
export const makePythonEnvironment = async (name: string, requirements: string): Promise<PythonEnvironment> => {
  const missing = await missingProgram('python3', '-c', 'import ensurepip, venv')
  if (missing !== undefined) return { missing }
  try {
    return { python: await install(name, requirements) }
  } catch (error) {
    if (error instanceof CannotFetch) return { missing: error.message }
    throw error
  }
}

const install = async (name: string, requirements: string): Promise<string> => {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12)
  const environment = join(cache, `${name}-${version}`)
  const python = join(environment, 'bin', 'python')
  if (existsSync(join(environment, 'complete'))) return python
  const maker = join(import.meta.dirname, 'make_environment.py')
  await fetchBy('python3', [maker, environment, requirements], { cwd: dirname(requirements) })
  return python
}
