import type { Headers } from '../call/call.ts'
import type { AddressBlocks } from '../origin/address-blocks.ts'

/** Which header names callers, and which peers may say so. */
export type ProxyUserOptions = {
  /** In lower case. */
  readonly header: string
  readonly isTrusted: AddressBlocks
}

/** The user named by a trusted proxy: the name, what is wrong with it, or undefined without a name. */
export type ProxyUser = (call: Headers) => { readonly name: string } | { readonly problem: string } | undefined

/** As long as a rule may be. */
const maxNameChars = 256

export const createProxyUser =
  ({ header, isTrusted }: ProxyUserOptions): ProxyUser =>
  call => {
    const value = call.header(header)
    // What others send in it is theirs to say, and counts for nothing.
    if (value === undefined || call.peer === undefined || !isTrusted(call.peer)) return undefined
    const name = value.trim()
    if (name === '') return { problem: `The proxy names nobody: ${header} is empty` }
    // Two headers of one name are joined by a comma: one of them may be the client's own.
    if (name.includes(',')) return { problem: `The proxy names more than one caller in ${header}` }
    if (name.length > maxNameChars || !/^[\x21-\x7e]+$/.test(name)) {
      return { problem: `The proxy names nobody whom a rule can be for: ${header} is too long, or no plain text` }
    }
    return { name }
  }
