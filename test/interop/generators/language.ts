/** Runs the built journey: `send URL TYPE` or `use URL TYPE`. @returns what it printed */
export type Run = (...args: readonly string[]) => Promise<string>

/** Where a client is built: the folder, the generated client in it, and a folder that later runs find again. */
export type Site = { readonly directory: string; readonly client: string; readonly kept: string }

/** A kind of client that can be generated from the contract, and how a journey with it is built. */
export type Language = {
  readonly name: string
  readonly library: string
  /** Arguments of openapi-generator; nothing but what names the kind. Of another generator what is called. */
  readonly options: readonly string[]
  /** Another generator than openapi-generator: makes the client in `directory/client`. @throws CannotFetch */
  readonly generate?: (directory: string, contract: string, kept: string) => Promise<string>
  /** Whether the driver only sends events. @default false */
  readonly onlySends?: boolean
  /** What integers of rows beyond 2^53 become, read in the way that `clients/README.md` names. */
  readonly integers: 'exact' | 'doubles'
  /** For `clients/README.md`. */
  readonly limits: string
  /** What this machine lacks; undefined when nothing is missing. */
  missing(): Promise<string | undefined>
  /** Compiles client and driver. @throws CannotFetch */
  build(site: Site): Promise<Run>
}

/** The drivers: one program for each kind, which all do and print the same. */
export const driversUrl: URL = new URL('drivers/', import.meta.url)
