import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { baseName, parentPath } from '../../../filesystem/path.ts'
import { type Typed, toFieldFault, untouched } from '../elements/field-fault.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/**
 * Asks for the new name of a file or directory, and for the directory to move it to.
 * @param typed what a form that was refused had in it
 * @param notice what is wrong with the form as a whole
 */
export const toRenamePage = (path: string, typed: Typed = untouched, notice: Markup | string = ''): Markup => {
  const now = baseName(path)
  const { name = now, directory = parentPath(path) } = typed.values
  const [ofName, ofDirectory] = [toFieldFault('name', 'name', typed), toFieldFault('directory', 'directory', typed)]
  return html`<div class="ask">
<h1>Rename or move ${toVisibleText(now)}</h1>
<p class="path"><code>${toVisibleText(path)}</code></p>
${notice}
<form method="post" action="${toBrowseLink(path, { action: 'rename' })}">
<p><label for="name">Name</label> <input id="name" name="name" value="${name}" required maxlength="255" autocomplete="off" spellcheck="false"${typed.fault === undefined ? html` autofocus` : ''}${ofName.attributes}>${ofName.text}</p>
<p><label for="directory">Directory</label> <input id="directory" name="directory" value="${toFieldValue(directory)}" placeholder="as it is" pattern="/.*" maxlength="4096" autocomplete="off" spellcheck="false"${ofDirectory.attributes}>${ofDirectory.text}</p>
<p class="dim">The directory must be there. Nothing is replaced. Names that begin with <code>_</code> or <code>.</code> are hidden: they are listed, and their rows are not read with those of a directory.</p>
<p class="actions"><button class="primary">Rename</button> <a class="button" href="${toBrowseLink(path)}">Leave it</a></p>
</form>
</div>`
}

/** A field of one line loses line breaks, and would name another directory. */
const toFieldValue = (directory: string): string => (/[\r\n]/.test(directory) ? '' : directory)
