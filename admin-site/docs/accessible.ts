import type { ReactElement, ReactNode } from 'react';
import type { Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/**
 * What Swagger UI keeps from those who use a keyboard or a screen reader: names, the order of headings,
 * a dialog that holds the focus. The test of this page runs axe-core on all of it.
 */

let shown: HTMLDialogElement | null = null;

/** Shows the dialog above everything, with the focus in its first field; closed, it gives the focus back to what opened it. */
function showDialog(dialog: HTMLDialogElement | null): void {
  shown?.close();
  shown = dialog;
  dialog?.showModal();
  dialog?.querySelector('input')?.focus();
}

/** Changes the structure, where Swagger UI lets a component be wrapped. */
export const accessible: Plugin = ({ React: { createElement, cloneElement } }) => ({
  wrapComponents: {
    // One deployment is all that there is to choose from, in a list without a name.
    ServersContainer: () => () => null,

    // A link within the button that opens the operation: what is opened is in the address anyway.
    OperationSummaryPath: (Original) => (props) => createElement(Original, { ...props, operationProps: props.operationProps.set('isDeepLinkingEnabled', false) }),

    // An operation is a heading that opens.
    OperationSummary: (Original) =>
      class extends Original {
        override render(): ReactNode {
          const summary = super.render() as ReactElement<{ children: readonly ReactNode[] }>;
          const [control, ...others] = summary.props.children;
          return cloneElement(summary, {}, createElement('h3', { className: 'opblock-summary-heading' }, control), ...others);
        }
      },

    // Its buttons say what is written on them.
    Button:
      (Original) =>
      ({ 'aria-label': _, ...props }) =>
        createElement(Original, props),

    authorizationPopup: (Original) => (props) =>
      createElement('dialog', { ref: showDialog, 'aria-label': 'Available authorizations', onCancel: () => props.authActions.showDefinitions(false) }, createElement(Original, props)),
  },
});

type Attributes = Readonly<Record<string, string>>;
const none: Attributes = {};

const scrolls = ({ scrollHeight, clientHeight, scrollWidth, clientWidth }: Element): boolean => scrollHeight > clientHeight || scrollWidth > clientWidth;

/** The name of the credential that a part of the dialog is about. */
const credential = (element: Element): string => element.closest('.auth-container')?.querySelector('h4 code')?.textContent ?? '';

/** Attributes of what no component of its own renders. */
const attributes: readonly (readonly [selector: string, attributes: Attributes | ((element: Element) => Attributes)])[] = [
  ['.information-container', { role: 'region', 'aria-label': 'About this API' }],
  ['.scheme-container', { role: 'region', 'aria-label': 'Credentials' }],
  ['.filter', { role: 'search' }],
  ['.operation-filter-input', { 'aria-label': 'Filter by tag or path' }],
  // Below the page's heading come its parts, and below an operation, which is a third, its own.
  ['.opblock-tag, .models > h4, .modal-ux-header > h3', { 'aria-level': '2' }],
  ['.auth-container h4', { 'aria-level': '3' }],
  ['.auth-container h6', { 'aria-level': '4' }],
  ['.close-modal', { 'aria-label': 'Close' }],
  ['.auth-container', (form) => ({ role: 'group', 'aria-label': credential(form) })],
  // One id for all would make every label that of the first field.
  ['.auth-container label', (label) => ({ for: `value-of-${credential(label)}` })],
  ['.auth-container input', (field) => ({ id: `value-of-${credential(field)}` })],
  ['[data-param-name] select, [data-param-name] input', (field) => ({ 'aria-label': field.closest<HTMLElement>('[data-param-name]')?.dataset['paramName'] ?? '' })],
  ['.body-param__text', { 'aria-label': 'Request body' }],
  ['.examples-select-element', { 'aria-label': 'Example' }],
  ['.responses-table', { role: 'table' }],
  ['.opblock pre', (code) => (scrolls(code) ? { tabindex: '0', role: 'region', 'aria-label': 'Code' } : none)],
];

/** Keeps the attributes in place, whatever Swagger UI renders. */
export function complete(root: HTMLElement): void {
  const set = (): void => {
    for (const [selector, wanted] of attributes) {
      for (const element of root.querySelectorAll(selector)) {
        for (const [name, value] of Object.entries(typeof wanted === 'function' ? wanted(element) : wanted)) element.setAttribute(name, value);
      }
    }
  };
  new MutationObserver(set).observe(root, { childList: true, subtree: true });
}
