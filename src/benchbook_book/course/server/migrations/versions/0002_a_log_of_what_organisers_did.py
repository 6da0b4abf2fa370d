"""A log of what organisers did to participants and entries."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this form."""
    op.create_table(
        "log_line",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("challenge_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge_id"],
            ["challenge.id"],
            name=op.f("fk_log_line_challenge_id_challenge"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_line")),
    )
    op.create_index(op.f("ix_log_line_challenge_id"), "log_line", ["challenge_id"])


def downgrade() -> None:
    """To the form before."""
    op.drop_index(op.f("ix_log_line_challenge_id"), "log_line")
    op.drop_table("log_line")
