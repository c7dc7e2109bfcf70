// Node edge: reads a file.
import { readFileSync } from 'node:fs'
import { type Contract, parseContract } from './contract.ts'

/** Reads `openapi.yaml` of this package; it stands beside `src/`. */
export const loadContract = (): Contract => load('openapi.yaml')

/** Reads `openapi-admin.yaml`, the contract of the management listener. It is served; nothing is bound by it. */
export const loadAdminContract = (): Contract => load('openapi-admin.yaml')

/** Each is parsed once: that takes a hundred times what a request does. */
const loaded = new Map<string, Contract>()

const load = (name: string): Contract => {
  const known = loaded.get(name)
  if (known) return known
  const contract = parseContract(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
  loaded.set(name, contract)
  return contract
}
