import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { May } from '../permission';
import type { Name } from '../routes';

/** A button for a request, or for the dialog of a request. It is disabled if the token may not send the request. */
export const Act = ({
  call,
  Icon,
  primary = false,
  size = 'sm',
  ...button
}: Omit<ButtonProps, 'variant' | 'leftSection' | 'size'> & {
  readonly call: Name;
  readonly Icon?: (props: { size: number }) => ReactNode;
  /** True if this is the most important action of the page. */
  readonly primary?: boolean;
  readonly size?: 'xs' | 'sm';
  readonly title?: string | undefined;
  readonly onClick: () => void;
}) => (
  <May call={call}>
    <Button
      {...button}
      size={size}
      {...(!primary && { variant: 'default' })}
      leftSection={Icon && <Icon size={size === 'xs' ? 15 : 16} />}
    />
  </May>
);
