import type { ContractSource, EventContract } from '../../event-contracts/contract.ts'
import type { KnownTypes, Registrar } from './registrar.ts'

/** A registrar that knows what it has been given. */
export type ToldRegistrar = Registrar & { learn(known: KnownTypes): void }

/** @param compile what makes contracts of their sources; those whose source is as before stay as they are */
export const createToldRegistrar = (
  first: KnownTypes,
  compile: (source: ContractSource) => EventContract,
): ToldRegistrar => {
  let fields = first.fields
  let contracts: ReadonlyMap<string, EventContract> = new Map()
  const learn = (known: KnownTypes): void => {
    const before = contracts
    fields = known.fields
    contracts = new Map(
      known.contracts.map(source => {
        const old = before.get(source.type)
        return [source.type, old && isSameSource(old.source, source) ? old : compile(source)]
      }),
    )
  }
  learn(first)
  return {
    fields: typeName => fields.get(typeName) ?? contracts.get(typeName)?.fields,
    contracts: () => contracts,
    learn,
    close: () => {},
  }
}

const isSameSource = (one: ContractSource, other: ContractSource): boolean =>
  one.file === other.file &&
  one.texts.size === other.texts.size &&
  one.texts.entries().every(([file, text]) => other.texts.get(file) === text)
