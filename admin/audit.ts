/** An action, or an attempt, of a user on the management plane. */
export type AuditEntry = {
  /** ms since the epoch. */
  readonly at: number
  /** The token's name, or `anonymous`. */
  readonly who: string
  /** Address of the client, where it is known. */
  readonly from: string
  /** `read`: of what events hold, beside the attributes. */
  readonly action: 'write' | 'exec' | 'read'
  readonly mbean: string
  /** The attribute, operation or download. */
  readonly member: string
  /** As JSON text, cut where it is long. */
  readonly arguments: string
  readonly outcome: 'ok' | 'denied' | 'failed'
  /** The outcome, as JSON text or a message, cut where it is long. */
  readonly result: string
}

/** Remembers who did what: one line in the log for each, and the newest for the bean. */
export type Audit = {
  record(entry: AuditEntry): void
  /** The newest entries, oldest first. */
  recent(): readonly AuditEntry[]
  readonly counts: Readonly<Record<AuditEntry['outcome'], number>>
}

/** Entries that stay in memory. */
const maxRecent = 100
/** Characters of arguments and results that are kept. */
const maxText = 500

/** Makes an audit; `write` gets each entry, for the log. */
export const createAudit = (write: (entry: AuditEntry) => void): Audit => {
  const recent: AuditEntry[] = []
  const counts = { ok: 0, denied: 0, failed: 0 }
  return {
    counts,
    recent: () => [...recent],
    record: entry => {
      counts[entry.outcome]++
      recent.push(entry)
      if (recent.length > maxRecent) recent.shift()
      write(entry)
    },
  }
}

/** A value as text for an entry. */
export const toAuditText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}
