/** What the columns of several files hold that the collector wrote, so that one file says it of all of them. */
import { isDeepStrictEqual } from 'node:util'
import {
  describeKind,
  isList,
  isStruct,
  type Kind,
  kindsKey,
  parseKind,
  type StructKind,
  toJsonValue,
} from '../formats/parquet/kind.ts'
import type { FileMetaData } from '../formats/parquet/metadata.ts'

/** Two files say different things of a column. */
export class UnlikeKinds extends TypeError {
  override readonly name = 'UnlikeKinds'
}

/** Undefined where another program wrote the file, or a later version. */
export const kindsOf = ({ keyValues }: FileMetaData): StructKind | undefined => {
  try {
    const kinds = parseKind(JSON.parse(keyValues.get(kindsKey) ?? 'null'))
    return isStruct(kinds) ? kinds : undefined
  } catch {
    return undefined
  }
}

/** @throws UnlikeKinds */
export const mergeFileKinds = (all: readonly StructKind[]): StructKind =>
  all.reduce((merged, kinds) => mergeStructs(merged, kinds, ''), { struct: new Map() })

const mergeStructs = ({ struct }: StructKind, other: StructKind, path: string): StructKind => {
  const merged = new Map(struct)
  for (const [name, kind] of other.struct) {
    const known = merged.get(name)
    merged.set(name, known === undefined ? kind : mergeBoth(known, kind, path === '' ? name : `${path}.${name}`))
  }
  return { struct: merged }
}

const mergeBoth = (left: Kind, right: Kind, path: string): Kind => {
  if (isStruct(left) && isStruct(right)) return mergeStructs(left, right, path)
  if (isList(left) && isList(right)) return { list: mergeBoth(left.list, right.list, `${path}.element`) }
  if (isDeepStrictEqual(toJsonValue(left), toJsonValue(right))) return left
  throw new UnlikeKinds(
    `the column ${path} is ${describeKind(left)} in some files, and ${describeKind(right)} in others`,
  )
}

/** The line of a footer for them. */
export const toKindsFact = (kinds: StructKind): readonly [key: string, value: string] => [
  kindsKey,
  JSON.stringify(toJsonValue(kinds)),
]
