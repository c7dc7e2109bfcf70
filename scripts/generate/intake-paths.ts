// The paths that accept events, for proxies in front of a collector: from openapi.yaml.
import { toContract } from '../../src/contract/contract.ts'
import { readContract } from './contracts.ts'

/** As an Ingress has it: that path alone, or all below it as well. */
export type IntakePath = { readonly path: string; readonly pathType: 'Exact' | 'Prefix' }

/** Each once; doors have those below theirs as well, for senders that append a slash. */
export const toIntakePaths = (): readonly IntakePath[] => {
  const { operations } = toContract(readContract('openapi'))
  const pathsOf = (tag: string): Set<string> => new Set(operations.filter(one => one.tag === tag).map(one => one.path))
  const own = pathsOf('events')
  const prefixes = new Set(
    [...pathsOf('doors')].filter(path => !own.has(path)).map(path => path.replace(/\/\{.*$/, '')),
  )
  const isBelow = (path: string): boolean => [...prefixes].some(other => path.startsWith(`${other}/`))
  return [
    ...[...own].map(path => ({ path, pathType: 'Exact' }) as const),
    ...[...prefixes].filter(path => !isBelow(path)).map(path => ({ path, pathType: 'Prefix' }) as const),
  ]
}

/** A file of the chart, as YAML. */
export const printIntakePaths = (): string =>
  [
    '# Written by `npm run generate` from openapi.yaml: the paths by which events come in, those of doors as well. Do not edit.',
    ...toIntakePaths().map(({ path, pathType }) => `- path: ${path}\n  pathType: ${pathType}`),
    '',
  ].join('\n')
