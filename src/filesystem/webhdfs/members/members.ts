/** Members of the JSON that a name node answers with. All throw FileSystemError `unavailable` for anything else. */
import { isRecord } from '../../../is-record.ts'
import { FileSystemError } from '../../filesystem.ts'

export const member = (json: unknown, name: string, path: string): unknown => {
  // Nothing that JSON.parse makes has one of these names from its prototype.
  if (!isRecord(json) || json[name] === undefined) throw malformed(path, name)
  return json[name]
}

export const textMember = (json: unknown, name: string, path: string): string => {
  const value = member(json, name, path)
  if (typeof value !== 'string') throw malformed(path, name)
  return value
}

export const booleanMember = (json: unknown, name: string, path: string): boolean => {
  const value = member(json, name, path)
  if (typeof value !== 'boolean') throw malformed(path, name)
  return value
}

/** Java has 64 bits; a number beyond 2^53 was rounded by JSON.parse, and is refused instead of being passed on. */
export const integerMember = (json: unknown, name: string, path: string): number => {
  const value = member(json, name, path)
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw malformed(path, name)
  return value
}

/** A sum, which large clusters have beyond 2^53: as near as a number can be. */
export const sumMember = (json: unknown, name: string, path: string): number => {
  const value = member(json, name, path)
  if (typeof value !== 'number' || !Number.isInteger(value)) throw malformed(path, name)
  return value
}

export const listMember = (json: unknown, name: string, path: string): readonly unknown[] => {
  const value = member(json, name, path)
  if (!Array.isArray(value)) throw malformed(path, name)
  return value
}

export const textsMember = (json: unknown, name: string, path: string): readonly string[] =>
  listMember(json, name, path).map(value => {
    if (typeof value !== 'string') throw malformed(path, name)
    return value
  })

const malformed = (path: string, name: string): FileSystemError => {
  const message = `Cannot understand the name node's answer for "${path}": "${name}" is missing or has a wrong value`
  return new FileSystemError('unavailable', path, message)
}
