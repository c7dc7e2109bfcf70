/** versitygw, a store of Go over the files of a directory, built from its module. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type StoreServer, startVersitygw } from '../../../scripts/s3/stores.ts'
import { testKeys } from '../../suites/s3/fake-s3.ts'
import { cache } from '../generators/openapi-generator.ts'
import { CannotFetch, fetchBy, missingProgram } from '../generators/programs.ts'

const version = '1.8.0'
const directory = join(cache, `versitygw-${version}`)
const program = join(directory, 'versitygw')

/** Builds it at the first call, which takes minutes. @returns why it cannot run here, as a sentence; undefined where it can */
export const buildVersitygw = async (): Promise<string | undefined> => {
  if (existsSync(program)) return undefined
  const missing = await missingProgram('go', 'version')
  if (missing !== undefined) return missing
  await mkdir(directory, { recursive: true })
  const env = { GOBIN: directory, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' }
  try {
    await fetchBy('go', ['install', `github.com/versity/versitygw/cmd/versitygw@v${version}`], { cwd: directory, env })
    return undefined
  } catch (error) {
    if (error instanceof CannotFetch) return error.message
    throw error
  }
}

/** Starts it and resolves when it answers. @param options of its backend */
export const startBuiltVersitygw = (...options: readonly string[]): Promise<StoreServer> =>
  startVersitygw(program, testKeys, options)
