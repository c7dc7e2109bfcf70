import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** The contracts of the tree, by the names of their files. */
export const contractNames = ['openapi', 'openapi-admin'] as const

/** Reads a contract as people write it, references not resolved. */
export const readContract = (name: (typeof contractNames)[number]): unknown =>
  parse(readFileSync(new URL(`../../${name}.yaml`, import.meta.url), 'utf8'), { maxAliasCount: 0 })
