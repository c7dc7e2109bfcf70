import { Command } from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import { usageError } from './failure.ts'
import { type Column, toTable } from './table.ts'
import { toJson } from './to-json.ts'

/** What all commands share: data for `--json`, tables for people, and one place for errors (`main.ts`). */
export abstract class BaseCommand extends Command {
  static override readonly enableJsonFlag: boolean = true

  /** A table as wide as the terminal; whole in a pipe. */
  protected table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    this.log(toTable(rows, columns, { width: process.stdout.isTTY ? process.stdout.columns : undefined }))
  }

  /** Asks before something is destroyed. @throws CliError `usage` where nobody can be asked, and for a no */
  protected async confirm(question: string, yes: boolean): Promise<void> {
    if (yes) return
    if (!process.stdin.isTTY || !process.stderr.isTTY || this.jsonEnabled()) {
      throw usageError(`${question} Nobody can be asked here.`, 'Say so with --yes.')
    }
    const { createInterface } = await import('node:readline/promises')
    const reader = createInterface({ input: process.stdin, output: process.stderr })
    const answer = await reader.question(`${question} [y/N] `)
    reader.close()
    if (!/^y(es)?$/i.test(answer.trim())) throw usageError('Nothing was done.')
  }

  override logJson(json: unknown): void {
    process.stdout.write(`${toJson(json)}\n`)
  }

  protected override catch(error: Error): Promise<never> {
    return Promise.reject(error)
  }
}

/** Answers yes to what a command asks. */
export const yesFlag = Flags.boolean({ char: 'y', summary: 'do not ask', default: false })
