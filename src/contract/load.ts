// Node edge: reads a file.
import { existsSync, readFileSync } from 'node:fs'
import { type Contract, parseContract } from './contract.ts'

/** Reads `openapi.yaml` of this package; it stands beside `src/`, one level further up from the built code. */
export const loadContract = (): Contract => parseContract(readFileSync(contractUrl(), 'utf8'))

const contractUrl = (): URL => {
  const beside = new URL('../../openapi.yaml', import.meta.url)
  return existsSync(beside) ? beside : new URL('../../../openapi.yaml', import.meta.url)
}
