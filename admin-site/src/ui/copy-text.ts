/**
 * Copies with the old `execCommand`, because browsers allow the Clipboard API only on pages over HTTPS and on localhost. Returns false on
 * failure.
 */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('aria-hidden', 'true');
  // If a dialog is open, the field must be inside it, because the dialog does not let the focus leave it.
  (document.activeElement?.parentElement ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

/** Copies a text; false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}
