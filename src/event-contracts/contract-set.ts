import { nextTurn } from '../runtime/next-turn.ts'
import { compileContract } from './compile-contract.ts'
import type { EventContract } from './contract.ts'
import { SchemaError } from './schema-error.ts'

/** The contracts of a directory's files by event type, and what is wrong with the files. */
export type ContractSet = {
  readonly contracts: ReadonlyMap<string, EventContract>
  readonly problems: readonly SchemaError[]
}

/** What there is before any file was read. */
export const noContracts: ContractSet = { contracts: new Map(), problems: [] }

/**
 * The contracts of the files that there are now. What did not change, nor anything that it refers to, is the same object
 * as before; a file that cannot be used leaves the contract of before. Others have their turn between two of them.
 * @param texts the files of the directory by name
 */
export const updateContracts = async (
  texts: ReadonlyMap<string, string>,
  { contracts: old }: ContractSet,
): Promise<ContractSet> => {
  const contracts = new Map<string, EventContract>()
  const problems: SchemaError[] = []
  for (const file of [...texts.keys()].filter(isOfType).sort()) {
    try {
      const type = toTypeOfFile(file)
      const before = old.get(type)
      if (before !== undefined && isUnchanged(before, texts)) contracts.set(type, before)
      else {
        contracts.set(type, compileContract({ type, file, texts }))
        await nextTurn()
      }
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      problems.push(error)
      const before = [...old].find(([, { source }]) => source.file === file)
      if (before !== undefined) contracts.set(...before)
    }
  }
  return { contracts, problems }
}

/** Files that begin with `_` are there for others to refer to. */
const isOfType = (file: string): boolean => !file.startsWith('_')

/** The event type that a file is for: its name, in which `%XX` encodes characters that a file name cannot have. */
const toTypeOfFile = (file: string): string => {
  try {
    return decodeURIComponent(file.replace(/\.json$/, ''))
  } catch (cause) {
    throw new SchemaError(file, undefined, 'its name is not an event type: expected %XX to be UTF-8', { cause })
  }
}

const isUnchanged = ({ source }: EventContract, texts: ReadonlyMap<string, string>): boolean =>
  source.texts.entries().every(([file, text]) => texts.get(file) === text)
