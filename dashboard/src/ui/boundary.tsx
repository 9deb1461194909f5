/** Contains the failure of a part of the page, so that the rest stays. */
import { Component, type ReactNode } from 'react';

interface Props {
  /** Shown in the place of what failed. `again` renders it once more. */
  readonly instead: (again: () => void) => ReactNode;
  readonly children: ReactNode;
}

export class Boundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    const again = (): void => this.setState({ failed: false });
    return this.state.failed ? this.props.instead(again) : this.props.children;
  }
}
