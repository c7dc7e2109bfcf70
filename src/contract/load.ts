// Node edge: reads a file.
import { existsSync, readFileSync } from 'node:fs'
import { type Contract, parseContract } from './contract.ts'

/** Reads `openapi.yaml` of this package; it stands beside `src/`, one level further up from the built code. */
export const loadContract = (): Contract => parseContract(readFileSync(toUrl('openapi.yaml'), 'utf8'))

/** Reads `openapi-admin.yaml`, the contract of the management listener. It is served; nothing is bound by it. */
export const loadAdminContract = (): Contract => parseContract(readFileSync(toUrl('openapi-admin.yaml'), 'utf8'))

const toUrl = (name: string): URL => {
  const beside = new URL(`../../${name}`, import.meta.url)
  return existsSync(beside) ? beside : new URL(`../../../${name}`, import.meta.url)
}
