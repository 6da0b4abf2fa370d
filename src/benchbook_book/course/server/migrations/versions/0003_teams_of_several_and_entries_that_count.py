"""Teams of several people with a token each, and entries chosen to count at the end."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this form."""
    op.create_table(
        "member",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participant.id"],
            name=op.f("fk_member_participant_id_participant"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_member")),
        sa.UniqueConstraint("name", name=op.f("uq_member_name")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_member_token_hash")),
    )
    op.create_index(op.f("ix_member_participant_id"), "member", ["participant_id"])
    op.add_column(
        "submission", sa.Column("counts", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    """To the form before."""
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_column("counts")
    op.drop_index(op.f("ix_member_participant_id"), "member")
    op.drop_table("member")
